/* known_data.h - what a run has written to a file or device, kept in the agent's spool for later
 * runs (`expect`), also after a restart of the agent.
 *
 * A file `known.<hash>` for each file or device that muster wrote to: lines of text, each with its
 * checksum (made_list.h), put in place whole. It is taken away before anything is written there
 * and comes back when the phase has ended, so that what it says always holds, as far as muster
 * knows: what a crash interrupted is known no more, nor what was not synced before one. Devices go
 * by their identity, not their path.
 */
#ifndef MUSTER_AGENT_KNOWN_DATA_H
#define MUSTER_AGENT_KNOWN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/written.h"
#include "common/error.h"

struct known_data {
	char *run;  /* that wrote last */
	char *key;  /* path or identity */
	char *boot; /* NULL: on the medium; else it holds while that kernel runs (its boot_id) */
	uint64_t generation;
	struct written_range *ranges; /* ascending, not overlapping */
	uint32_t count;
};
void known_data_release(struct known_data *known);

/* Text and back. The text is freed by the caller; parsing answers -1 for what is damaged, with
 * nothing to release. */
char *known_data_format(const struct known_data *known);
int known_data_parse(struct known_data *known, const char *text, size_t size);

/* Replaces what is kept of known->key. */
int known_data_save(const char *spool, const struct known_data *known, struct error *err);

/* What is kept of `key`: 1 when there is something, 0 when there is nothing, -1 with err when it
 * cannot be read or is damaged. */
int known_data_load(const char *spool, const char *key, struct known_data *known,
		    struct error *err);

/* On disk before it returns 0; nothing to drop is no error. */
int known_data_drop(const char *spool, const char *key, struct error *err);

#endif
