/* pace.h - when a worker's next I/O is due: its share of the rate that a phase is held to.
 *
 * An even schedule, which is a token bucket that is refilled all the time: each I/O is due when all
 * before it have been paid for, whatever the device did meanwhile. What fell due while a worker
 * could not submit is not let off: it goes out as soon as may be, and its response time counts from
 * when it was due. Every worker has one I/O at the start; from then on they take turns, so that
 * the sum is even as well. */
#ifndef MUSTER_AGENT_PACE_H
#define MUSTER_AGENT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/phase.h"

struct pace {
	bool is_on;       /* the phase has a rate */
	bool is_by_bytes; /* else by operations */
	uint64_t due_ns;  /* of the next I/O */
	uint32_t due_rest;
	uint64_t unit;    /* time of a byte or operation of the worker, ns * 2^PACE_BITS */
	uint64_t turn_ns; /* after the first I/O: until the worker's turn, less a whole round */
	bool is_first;
};

/* Binary places of a ns. */
#define PACE_BITS 24

void pace_init(struct pace *pace, const struct phase *phase, uint32_t worker);

/* The start is known: before, what is due counts from it. */
void pace_begin(struct pace *pace, uint64_t start_ns);

/* An I/O of `length` bytes is taken: answers when it is due, and turns to the next. */
uint64_t pace_take(struct pace *pace, uint64_t length);

#endif
