/* disruptions.h - what a host has told of its clock in a run.
 *
 * Bounded, and apart: gaps come by the thousand from a busy host and change no figure, while a
 * sleep or a change of frequency cuts the fit of its clock and is kept however many gaps there
 * were. */
#ifndef MUSTER_CONTROLLER_DISRUPTIONS_H
#define MUSTER_CONTROLLER_DISRUPTIONS_H

#include <stdint.h>

#include "proto/messages.h"

#define DISRUPTIONS_GAPS_MOST   10000
#define DISRUPTIONS_OTHERS_MOST 10000

/* Zero before use. */
struct disruptions {
	struct disruption *list; /* in the order in which they came */
	uint32_t count;
	uint32_t gaps;    /* of them */
	uint64_t dropped; /* further ones that were told of */
};

void disruptions_add(struct disruptions *disruptions, const struct disruption *disruption);
/* Puts in front what was told before the first that is there, of `count` and `dropped` that may be
 * partly the same; all of them where there is none. */
void disruptions_add_before(struct disruptions *disruptions, const struct disruption *earlier,
			    uint32_t count, uint64_t dropped);
void disruptions_release(struct disruptions *disruptions);

#endif
