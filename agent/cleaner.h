/* cleaner.h - removes what muster made, in a thread of its own, since removing can take long. */
#ifndef MUSTER_AGENT_CLEANER_H
#define MUSTER_AGENT_CLEANER_H

#include <stdbool.h>

#include "agent/made_files.h"
#include "proto/messages.h"

struct cleaner;

/* Begins; `files` is the cleaner's alone until it is freed. With `keep` all of them stay, and go on
 * to be known. */
struct cleaner *cleaner_new(struct made_files *files, bool keep);

bool cleaner_is_done(struct cleaner *cleaner);

/* When done: what was removed and what is left; the cleaner's. */
const struct released *cleaner_released(const struct cleaner *cleaner);

/* Waits for the end. NULL is fine. */
void cleaner_free(struct cleaner *cleaner);

#endif
