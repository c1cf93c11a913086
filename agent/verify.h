/* verify.h - one worker's comparing of what it read with what muster wrote there.
 *
 * Data is keyed by the file or device that it stands on, at the offset there: so a stripe's blocks
 * are what its parts hold, whoever wrote them. What must stand where is in `written`, which does
 * not change while workers run. A wrong block is data about the target, not an I/O error. */
#ifndef MUSTER_AGENT_VERIFY_H
#define MUSTER_AGENT_VERIFY_H

#include <stdint.h>

#include "agent/evidence.h"
#include "agent/miscompare.h"
#include "agent/phase_targets.h"
#include "agent/request.h"
#include "agent/written.h"
#include "common/error.h"

struct verify_setup {
	const struct phase *phase;
	const struct load_target *target;
	const char *host;
	uint64_t seed;
	const struct written *written;
	struct evidence *evidence;
};

struct verify_part;

struct verify {
	struct verify_setup setup;
	struct verify_part *parts;
	uint64_t bytes;  /* compared */
	uint64_t blocks; /* wrong */
	uint64_t kinds[MISCOMPARE_KINDS];
	/* the wrong block with the lowest offset */
	struct miscompare first;
	struct place first_block;
	uint64_t first_at; /* in the target: the first wrong byte */
	uint32_t first_part;
};

/* Whether every byte that the phase can read of the target will be known once it is laid out; err
 * names the place that will not. */
int verify_is_possible(const struct load_target *target, const struct phase *phase,
		       const struct written *written, struct error *err);

/* Everything is lent. */
void verify_init(struct verify *verify, const struct verify_setup *setup);
void verify_release(struct verify *verify);

/* In the thread that will read, once all is laid out: looks up what is written where. */
void verify_begin(struct verify *verify);

/* A read that is complete and moved all its bytes. */
void verify_block(struct verify *verify, const struct request *request);

/* Of all workers of a target: adds this one's, and keeps the sentence about the lowest block. */
void verify_report(const struct verify *verify, struct miscompares *into);

#endif
