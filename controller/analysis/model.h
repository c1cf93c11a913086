/* model.h - what hardware can do at most: disks by level, links by speed and width.
 *
 * Ceilings for a warning, not predictions. Sequential rates of N disks of S each: RAID0 N S; RAID1
 * reads N S, writes S; RAID10 reads N S, writes N/2 S; RAID5 (N - 1) S, RAID6 (N - 2) S, RAIDZp
 * (N - p) S. A lane carries its transfers less the line code: 8b/10b up to 6 Gb/s (SAS also at 12)
 * and PCIe 5 GT/s, 128b/130b for faster PCIe; Ethernet what is left for TCP over IPv4 with time
 * stamps. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_MODEL_H
#define MUSTER_CONTROLLER_ANALYSIS_MODEL_H

#include <stdbool.h>

#include "controller/analysis/known.h"

/* Bytes/s of a lane; NAN for a speed that is none of PCIe (2.5, 5, 8, 16, 32, 64) or SAS (3, 6, 12,
 * 22.5). */
double model_lane(double gt_per_s);

/* Of a link as it runs; NAN: not known. */
double model_link(const struct fact_link *link);

/* Bytes/s that the disks of a level can do sequentially; NAN: not known. */
double model_media(enum fact_level level, uint32_t disks, double disk_rate, bool writes);

/* Random operations/s likewise, of disks that do `iops` each; parity costs 4 or 6 for a write. A
 * RAIDZ does about those of one disk. */
double model_iops(enum fact_level level, uint32_t disks, double iops, bool writes);

/* Operations/s of a mix of which `reads` (0 to 1) read: 1 / (r / read + w / write). */
double model_mix(double read_iops, double write_iops, double reads);

/* How often OpenZFS syncs a transaction group: every 5 s, or when dirty data reach a fifth of what
 * may be dirty at most (a tenth of the memory, 4 GiB at most and a quarter of the memory). */
double model_txg_period_s(double memory_bytes, double bytes_per_s);

/* By how much it delays a write, ns, at `dirty` of the most that may be dirty (0 to 1); at 0.6 it
 * begins, at 1 writers stop (100 ms is the longest delay). */
double model_txg_delay_ns(double dirty);

/* Share of uniform random reads that a cache of `cache` bytes serves of a working set. */
double model_hit_share(double cache, double working_set);

/* The least of what is known of a target, of media for sequential phases only, and of what its
 * parts or members can do together where something is known of each; NAN: nothing. `what` (may be
 * NULL) names it: "the disks"; `link` is it where it is one, NULL otherwise. */
struct model_bound {
	double bytes_per_s;
	const char *what;
	const struct fact_link *link;
};
struct model_bound model_bound(const struct known *known, const struct plan *plan,
			       const struct phase *asked, const char *target);

/* Random operations/s of the disks beneath a target in a phase; NAN: not known, or not random. */
double model_random(const struct known *known, const struct phase *asked, const char *target);

/* Whether a link carries the I/O of a target. */
bool model_carries(const struct fact_link *link, const char *target);

#endif
