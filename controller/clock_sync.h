/* clock_sync.h - one agent's clock as seen from the controller's.
 *
 * For now the simplest honest estimate: of the latest four-stamp exchanges the one whose bound is
 * smallest now. An exchange sent at t1, received t2, answered t3, back at t4 puts the offset
 * (agent - controller) into ((t2 - t1) + (t3 - t4)) / 2 +- rtt / 2, whatever the path's asymmetry
 * (Cristian 1989); with age the bound grows by 500 ppm, the drift that no sane oscillator exceeds.
 */
#ifndef MUSTER_CONTROLLER_CLOCK_SYNC_H
#define MUSTER_CONTROLLER_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_SYNC_KEPT 64

struct clock_sync_exchange {
	int64_t offset_ns;
	uint64_t rtt_ns;
	uint64_t at_ns; /* t4, controller's clock */
};

struct clock_sync {
	struct clock_sync_exchange kept[CLOCK_SYNC_KEPT];
	uint32_t exchanges; /* all that were taken */
};

/* Takes an exchange; stamps that cannot be (t4 < t1, t3 < t2, answered faster than held) are
 * dropped: false. */
bool clock_sync_add(struct clock_sync *sync, uint64_t t1, uint64_t t2, uint64_t t3, uint64_t t4);

/* agent's clock - controller's at `now_ns` of the controller, within +- *bound_ns. False before the
 * first exchange. */
bool clock_sync_estimate(const struct clock_sync *sync, uint64_t now_ns, int64_t *offset_ns,
			 uint64_t *bound_ns);

/* Largest round trip of those kept: how far ahead a start has to be sent. */
uint64_t clock_sync_slowest(const struct clock_sync *sync);

#endif
