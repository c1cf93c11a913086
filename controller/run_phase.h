/* run_phase.h - one phase on the whole fleet: prepare, barrier, start, collect. */
#ifndef MUSTER_CONTROLLER_RUN_PHASE_H
#define MUSTER_CONTROLLER_RUN_PHASE_H

#include <stdbool.h>

#include "controller/collect.h"
#include "controller/fleet.h"
#include "controller/journal.h"
#include "controller/phase_clock.h"
#include "controller/plan.h"
#include "controller/progress.h"

struct run_phase {
	struct fleet *fleet;
	struct collect *collect;
	const struct plan *plan;
	struct progress_line *progress;
	const volatile int *interrupted;
	uint64_t seed;
	uint32_t plan_crc;        /* of plan.yaml's bytes (framed_crc) */
	uint32_t trial;           /* under way */
	struct journal *journal;  /* NULL: nothing is kept */
	struct phase_clock clock; /* of the phase under way */
	struct error err;         /* why REFUSED, when no host says so */
};

enum run_phase_end {
	RUN_PHASE_MEASURED,    /* as far as it goes: a host may be lost, see the result */
	RUN_PHASE_REFUSED,     /* a host said no before any I/O of the phase */
	RUN_PHASE_BROKEN,      /* a host could not prepare it, or never started in time */
	RUN_PHASE_LOST,        /* a host was lost and the plan says abort */
	RUN_PHASE_INTERRUPTED, /* by the person */
};

/* Runs the phase and fills the result; *began says whether any host was told to start. Every wait
 * in it has an end: agents that are silent are lost after dead_after, ones that prepare or run
 * without moving anything after two minutes. */
enum run_phase_end run_phase(struct run_phase *run, const struct phase *phase, uint32_t number,
			     uint32_t trial, bool *began);

/* Asks every host whether it would run the phase: lists, identities, interlock, whose files, space,
 * memory; nothing is made or opened for writing. RUN_PHASE_MEASURED when all would; else the phase
 * stands in the result with each host's reason. */
enum run_phase_end run_phase_check(struct run_phase *run, const struct phase *phase,
				   uint32_t number);

/* The same question for a person: `show` is called once every host in the phase has answered
 * (is_ready, is_failed), or was lost. */
void run_phase_look(struct run_phase *run, const struct phase *phase, uint32_t number,
		    void (*show)(void *context, const struct phase *phase,
				 const struct fleet *fleet),
		    void *context);

#endif
