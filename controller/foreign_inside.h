/* foreign_inside.h - what the files that build a result from foreign numbers share. */
#ifndef MUSTER_CONTROLLER_FOREIGN_INSIDE_H
#define MUSTER_CONTROLLER_FOREIGN_INSIDE_H

#include "common/name_set.h"
#include "controller/foreign.h"

/* Of a target in a phase; what lies beyond is left out and said. */
#define FOREIGN_BUCKETS_MOST 5000000

/* A phase while it is built. */
struct build {
	const struct foreign *foreign;
	const struct foreign_measured *measured;
	const struct phase *asked;
	struct result *result;
	struct result_phase *phase;
	struct phase_series *series;
	struct name_set hosts; /* as in the phase */
	bool errors_in_totals; /* else in the timeline */
	double origin_s;       /* where the phase begins, on the clock of its rows */
	uint64_t *extents;     /* of each target of the phase */
	uint32_t guessed;      /* totals of which no time was told */
	uint32_t dropped;      /* lines of the timeline that lie too far out */
	uint64_t missing;      /* buckets between lines that have none */
};

/* ---- foreign_hosts.c ---- */

/* Those that the file lists or, where it lists none, those that its rows name. */
void foreign_add_hosts(struct build *build);
/* The only one where no name is given; UINT32_MAX: none. */
uint32_t foreign_host_index(const struct build *build, const char *name);
/* The only one where no name is given. */
uint32_t foreign_target_index(const struct result_phase_host *host, const char *name);

/* ---- foreign_amounts.c ---- */

struct amount {
	double bytes, operations;
};

/* Of what was told the most direct; `seconds` is how long it went on. NAN: not told. */
struct amount foreign_amount_of(const struct build *build, double bytes, double bytes_per_s,
				double operations, double operations_per_s, double seconds);
/* A part of a block that moved was an operation. */
double foreign_whole_operations(double operations);
/* The bucket, made where it is not there yet, with those before it. */
struct series_bucket *foreign_bucket_at(struct series *series, uint64_t index);
void foreign_put(const struct build *build, struct series_bucket *bucket, struct amount amount);
/* Which rows tell how many I/Os failed: what one row does not tell is not known of the whole. */
void foreign_find_errors(struct build *build);
/* The target did I/O then too. */
void foreign_extend(struct result_target *target, uint64_t from_ns, uint64_t to_ns);

/* ---- foreign_timeline.c ---- */

/* How long a line lasts, in s: the median of what lies between two of one series. */
double foreign_line_width(const struct build *build);
void foreign_add_samples(struct build *build);

/* ---- foreign_totals.c ---- */

/* Of a bucket, in ns, where there are totals alone: about a thousand, of a round width. */
uint64_t foreign_even_width(const struct build *build);
/* After the samples, beside which they are only compared. */
void foreign_add_totals(struct build *build);

/* ---- foreign_clocks.c: what the clocks and heartbeats say of the hosts ---- */

void foreign_add_ticks(struct build *build);
/* Hosts that are lost, hung, without figures or whose clock is wrong, with the finding of each. */
void foreign_find_states(struct build *build);

/* ---- foreign_counters.c ---- */

/* Counters of devices: their bytes go into the result; after the totals. */
void foreign_add_counters(struct build *build);

/* ---- foreign_twice.c: what is told a second time ---- */

/* A line of the timeline of the host, target and instant of one that stands before it, which
 * `before` gets; NULL: there is none. n log n. */
const struct foreign_sample *foreign_sample_twice(const struct foreign_measured *m,
						  const struct foreign_sample **before);
/* A total of a host and target that begins when another does, neither of a worker; NULL: none. */
const struct foreign_total *foreign_total_twice(const struct foreign_measured *m);

/* ---- foreign_values.c: what the numbers themselves show ---- */

/* Two tellings of one amount that are not the same; `seconds` is how long it went on. */
void foreign_compare_values(struct build *build, const char *host, const struct foreign_total *t,
			    double seconds);
/* What was not told, once for each phase. */
void foreign_find_gaps(struct build *build);

#endif
