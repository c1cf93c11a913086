/* direct.h - may a phase's I/O pass by the page cache on this part, as its `direct` asks. */
#ifndef MUSTER_AGENT_DIRECT_H
#define MUSTER_AGENT_DIRECT_H

#include "agent/part.h"

/* Sets part->io from what part->storage says: refuses what `direct: true` cannot have, with the
 * reason and the way out; notes where `prefer` goes on buffered. */
int direct_decide(struct part *part, const struct part_context *context, struct error *err);

/* `direct: prefer`, and the file could not be opened so after all. */
void direct_fall_back(struct part *part, const struct part_context *context, const char *reason);

#endif
