/* realign.h - the buckets of a host whose clock jumped, put where they belong after the fact.
 *
 * What an agent booked while its clock stood off by more than half a bucket lies in buckets that
 * are not those of the other hosts. Each such bucket goes, whole, to the one that holds its middle
 * on the controller's clock: counts are moved, never split, so every sum stays. What was ramp stays
 * ramp. A border is then at most half a bucket off its instant, which its edge says. */
#ifndef MUSTER_CONTROLLER_REALIGN_H
#define MUSTER_CONTROLLER_REALIGN_H

#include "controller/result.h"

/* Of one host: its targets' series, and the edges of its buckets, which are replaced. Answers how
 * many buckets were moved; 0: everything lay within half a bucket, and nothing was touched. */
uint32_t realign_host(const struct result_phase *phase, struct series *series, uint32_t targets,
		      struct series_edge **edges, uint32_t *edges_count);

#endif
