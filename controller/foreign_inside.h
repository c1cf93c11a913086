/* foreign_inside.h - what the files that build a result from foreign numbers share. */
#ifndef MUSTER_CONTROLLER_FOREIGN_INSIDE_H
#define MUSTER_CONTROLLER_FOREIGN_INSIDE_H

#include "common/name_set.h"
#include "controller/foreign.h"

/* Of a target in a phase; what lies beyond is left out and said. */
#define FOREIGN_BUCKETS_MOST 5000000

/* A line of the timeline, of a target of a host: `series` counts those of all hosts through. */
struct foreign_line {
	uint32_t series, sample;
	uint64_t at_ns; /* since the origin */
};

/* A phase while it is built. */
struct build {
	const struct foreign *foreign;
	const struct foreign_measured *measured;
	const struct phase *asked;
	struct result *result;
	struct result_phase *phase;
	struct phase_series *series;
	struct name_set hosts;      /* as in the phase */
	bool errors_in_totals;      /* else in the timeline */
	double origin_s;            /* where the phase begins, on the clock of its rows */
	uint64_t *extents;          /* of each target of the phase */
	uint32_t guessed;           /* totals of which no time was told */
	uint32_t dropped;           /* lines of the timeline that lie too far out */
	uint64_t missing;           /* lines that should lie between others */
	struct foreign_line *lines; /* the timeline's, by series and time */
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

/* Bytes of an operation, of a mix in the mean. */
double foreign_block(const struct build *build);
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

void foreign_sort_lines(struct build *build);
/* The median of what lies between two lines of one series, in ns; a second where none has two. */
uint64_t foreign_line_width(const struct build *build);
/* Each over its time: to the next of its series, the last as long as most of them. Where lines that
 * lie evenly have a hole, nothing was moved in it. Moves the lines to where they were put. */
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

/* ---- foreign_order.c: rows by host, target and time, and what only that shows ---- */

struct foreign_place {
	const char *host, *target; /* where none is named, of the only one */
	double at_s;               /* -1: not told */
	uint32_t row;
};

/* All samples, or all totals; those of one instant as they stand. n log n. The caller's to free. */
struct foreign_place *foreign_order_samples(const struct foreign_measured *m);
struct foreign_place *foreign_order_totals(const struct foreign_measured *m);
/* The place of a line of the host, target and instant of the one before it; 0: there is none. */
uint32_t foreign_sample_twice(const struct foreign_place *places, uint32_t count);
/* Likewise of a total that begins when another does, neither of a worker. */
uint32_t foreign_total_twice(const struct foreign_place *places, const struct foreign_measured *m);
/* The place of a line that begins long before the one before it has lasted for `bucket_ns`, or is
 * one of many of which none begins nearly as early; 0: there is none. */
uint32_t foreign_sample_against(const struct foreign_place *places, uint32_t count,
				uint64_t bucket_ns);

/* ---- foreign_values.c: what the numbers themselves show ---- */

/* Two tellings of one amount that are not the same; `seconds` is how long it went on. */
void foreign_compare_values(struct build *build, const char *host, const struct foreign_total *t,
			    double seconds);
/* What was not told, once for each phase. */
void foreign_find_gaps(struct build *build);

#endif
