/* evidence.h - the first blocks that were wrong, as they should have been and as they were.
 *
 * One file in the agent's spool for a target in a phase, which stays when the agent is released. A
 * record is 512 bytes of text, then what was expected, then what was found, of one length; records
 * begin at multiples of 512 + 2 * length. All workers of a target may add. */
#ifndef MUSTER_AGENT_EVIDENCE_H
#define MUSTER_AGENT_EVIDENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define EVIDENCE_BLOCKS_MOST 16
#define EVIDENCE_BYTES_MOST  (UINT64_C(1) << 20) /* of a block */
#define EVIDENCE_HEAD        512

struct evidence {
	char *path; /* NULL: not opened */
	int fd;
	atomic_uint taken; /* places, and who found none */
	atomic_int error;  /* errno of the last write that failed */
};

/* Makes `<spool>/miscompare.<run>.<phase>.<target>`, with a number behind it where there is one
 * already (another attempt's): what was found once is never written over. So a spool that cannot be
 * written to is known before the phase. `evidence` is zeroed before. */
int evidence_open(struct evidence *evidence, const char *spool, const char *run, uint32_t phase,
		  const char *target, struct error *err);

/* Whether there is room for one more; `*place` is the caller's then. */
bool evidence_take(struct evidence *evidence, uint32_t *place);

/* Adds a record of 2 * `length` bytes, the same for all. */
void evidence_put(struct evidence *evidence, uint32_t place, const char *text, const void *expected,
		  const void *found, size_t length);

bool evidence_is_empty(const struct evidence *evidence);

/* Syncs what is there; removes an empty file. The path stays until release. */
void evidence_close(struct evidence *evidence);
void evidence_release(struct evidence *evidence);

#endif
