/* result.h - what a run measured: the structs behind run.json (schema muster.run/1).
 *
 * Times are ns on the controller's clock since the run's start; bytes and ns are integers, units
 * are in the keys. `bytes` and `operations` leave the ramp out and equal the sums over the
 * timeline's buckets that are not ramp, exactly. */
#ifndef MUSTER_CONTROLLER_RESULT_H
#define MUSTER_CONTROLLER_RESULT_H

#include "common/histogram.h"
#include "common/record.h"
#include "controller/facts.h"
#include "controller/plan.h"
#include "proto/io_error.h"
#include "proto/miscompare.h"

#define RESULT_SCHEMA "muster.run/1"

enum result_outcome {
	RESULT_OUTCOME_PASS,
	RESULT_OUTCOME_FAIL,
	RESULT_OUTCOME_INVALID,
	RESULT_OUTCOME_INCONCLUSIVE,
	RESULT_OUTCOME_REFUSED,
	RESULT_OUTCOME_NOT_SET_UP,
};
/* The program's exit code for an outcome: 0, 1, 3, 4, 5, 6 (docs/DESIGN.md). */
int result_exit_code(enum result_outcome outcome);
/* As in run.json: PASS, FAIL, ... */
extern const char *const result_outcome_names[];

/* NAN where fewer than 10 samples lie beyond a percentile: then it is not printed. */
struct result_latency {
	double mean; /* NAN: no samples */
	double p50, p90, p99, p999;
	uint64_t max;
};

struct result_disruption {
	char *kind;              /* gap, suspend, step, frequency; cut: the exchanges prove it */
	uint64_t from_ns, to_ns; /* since the run's start */
	int64_t amount_ns;       /* how long, or how far */
};

/* From all exchanges of the run. Everything about a clock assumes |drift| <= 500 ppm, |change of
 * drift| <= 0.5 ppm/s and that no path is faster one way than light: clock_fit.h. */
struct result_clock {
	bool known;
	int64_t offset_ns; /* agent's clock - controller's, at the run's start */
	uint64_t bound_ns; /* the offset is within +- this */
	int64_t drift_ppb, drift_lo_ppb, drift_hi_ppb;
	char *stamp;                              /* of most exchanges: kernel, user, zeromq */
	uint32_t exchanges, kernel, user, zeromq; /* all, and by stamp */
	uint64_t rtt_min_ns, rtt_p50_ns, rtt_p99_ns;
	uint32_t estimator; /* CLOCK_FIT_VERSION */
	struct result_disruption *disruptions;
	uint32_t disruptions_count;
	uint64_t disruptions_dropped; /* further ones that are not in the list */
};

struct result_host {
	char *host;
	char *os;
	char *kernel;
	char *boot_id;
	uint32_t cpus;
	uint64_t memory_bytes, uptime_s;
	char *container;
	uint64_t memory_limit_bytes;
	uint32_t cpu_limit_thousandths;
	char *io_limit;
	uint64_t arc_most_bytes; /* that ZFS keeps in memory at most; 0: not known */
	struct plan_label *labels;
	uint32_t labels_count;
	struct hardware *expect; /* where the plan has its own for it; else NULL */
	struct result_clock clock;
	char *key;
	bool insecure;
};

struct result_target {
	char *target;
	uint64_t bytes, bytes_read, bytes_written, bytes_trimmed;
	uint64_t operations, errors;
	uint64_t ramp_bytes;
	uint32_t passes;
	uint64_t extent_bytes;
	char *io; /* direct, written through, buffered, none */
	bool ram;
	bool no_topology; /* the system says nothing of the device that it is on */
	char *engine, *engine_reason;
	char *file_system;
	uint64_t first_io_ns, last_io_ns; /* 0 and 0: no I/O */
	double throughput_bytes_per_s; /* bytes / (last completion - (first submit or end of ramp));
					  NAN: none */
	double iops;
	double throughput_with_sync_bytes_per_s; /* the same with sync_ns added; NAN without a sync
						  */
	uint64_t sync_ns;
	struct result_latency latency_ns;
	struct result_latency *response_ns; /* of a phase with a rate; else NULL */
	uint64_t syncs;                     /* after sync_every writes each, after the ramp */
	struct result_latency *syncs_ns;    /* of those; NULL: none were asked for */
	struct done_size *sizes;            /* of a mix of block sizes */
	uint32_t sizes_count;
	struct io_error *io_errors; /* by kind, ramp and all */
	uint32_t io_errors_count;
	char *first_error;
	struct miscompares miscompares;
};

/* A device once for all hosts that share a running kernel: it stands under the first of them. */
struct result_device {
	char *device;
	char *under;          /* the device above; NULL: a top one */
	struct name *targets; /* target, or host:target of another host that shares it */
	uint32_t targets_count;
	uint64_t bytes_read, bytes_written;
	double share; /* of the group's engine bytes that moved on its devices; NAN: unknown or
			 under another */
};

struct result_worker {
	char *target;
	uint32_t worker;
	uint64_t first_submit_ns, last_completion_ns, operations;
	char *cpus; /* that it was bound to; NULL: to none */
};

/* How well a host's buckets lie where they belong. */
struct result_edges {
	uint64_t error_ns; /* the largest by which a border lay off its instant */
	uint64_t bound_ns; /* each error is within +- this; UINT64_MAX: unknown */
	uint32_t amendments;
	uint32_t disrupted; /* buckets about which the clock jumped */
	uint32_t realigned; /* buckets that were moved to where they belong (realign.h) */
};

/* A worker that began later than the others. */
struct result_late {
	char *host, *target;
	uint32_t worker;
	uint64_t late_ns; /* after the start instant */
};

struct result_phase_host {
	char *host;
	char *state;         /* complete, aborted, broken, lost, refused */
	char *code;          /* of the finding that this is; NULL: none of its own */
	char *text;          /* why, when not complete */
	uint64_t lost_at_ns; /* 0: not lost */
	struct result_target *targets;
	uint32_t targets_count;
	struct result_device *devices;
	uint32_t devices_count;
	struct result_worker *workers;
	uint32_t workers_count;
	uint64_t cpu_ns, buffer_bytes, spool_bytes;
	struct result_edges edges;
	struct name *start_refusals; /* what its system refused for a punctual start */
	uint32_t start_refusals_count;
	uint64_t start_spin_ns;
	uint64_t frozen_from_ns; /* when the next began; 0: none */
	uint64_t frozen_ns;      /* longest time in which the agent did not run */
	uint64_t silence_ns;     /* longest silence over suspect_after; 0: none */
	struct name *notes;
	uint32_t notes_count;
};

struct result_cluster {
	uint32_t hosts, of; /* hosts in these figures, hosts of the phase */
	uint64_t bytes, operations, errors;
	uint64_t all_active_start_ns;  /* since the run's start; a bucket border */
	uint64_t all_active_window_ns; /* 0: none */
	double all_active_bytes_per_s; /* NAN: no window */
	double span_bytes_per_s;
	double sum_of_averages_bytes_per_s;
	double gap;                       /* sum of averages / headline */
	char *headline;                   /* all_active for timed phases, span for fixed amounts */
	double iops;                      /* over the same as the headline */
	struct result_latency latency_ns; /* merged histograms */
	struct result_latency *response_ns; /* likewise; NULL: the phase has no rate */
	struct result_latency *syncs_ns;    /* likewise; NULL: no sync_every */
};

struct result_phase {
	char *name;
	uint32_t trial; /* from 1 */
	char *op;
	char *controller;  /* through which the bytes went, where one was named; else NULL */
	uint64_t start_ns; /* start instant */
	uint64_t ramp_ns;  /* whole buckets */
	uint64_t bucket_ns;
	uint64_t start_skew_ns;       /* latest first submit - earliest, of workers that did I/O */
	uint64_t start_skew_bound_ns; /* the skew is within +- this */
	uint64_t stop_skew_ns;        /* latest last completion - earliest, of the same */
	uint64_t stop_skew_bound_ns;
	bool errors_unknown;      /* of numbers that muster did not measure */
	struct result_late *late; /* over 1 ms after the start instant, latest first, at most 20 */
	uint32_t late_count;
	struct result_phase_host *hosts;
	uint32_t hosts_count;
	struct result_cluster *cluster;         /* NULL when a host is missing */
	struct result_cluster *cluster_partial; /* then this; never feeds a gate */
};

/* A figure that a finding rests on; the unit is in the name: "period_ns". */
struct result_figure {
	char *name;
	double value;
};

struct result_finding {
	char *code;  /* TOO_SHORT */
	char *level; /* REFUSE, INVALID, WARN, NOTE */
	char *phase; /* NULL: the run */
	uint32_t trial;
	char *host, *target;
	char *evidence;                /* with figures */
	struct result_figure *figures; /* the same, for programs */
	uint32_t figures_count;
	char *advice;
};

struct result_gate {
	char *phase, *metric, *of;
	char *who; /* host, host:target, label=value or fleet */
	uint32_t trial;
	char *against;    /* phase or baseline that `value` is in percent of; NULL: none */
	char *limit;      /* "at_least 800 MB/s" */
	double value;     /* NAN: not measured */
	double low, high; /* between which the true one lies, at 95 %; NAN: nothing can be said */
	double margin; /* how far inside its limit, of the limit; below 0: outside; NAN: no telling
			*/
	char *state;   /* PASS, FAIL, INVALID, INCONCLUSIVE */
	char *text;    /* why it is INVALID or INCONCLUSIVE, else NULL */
};

/* A figure of the fleet in a phase, over its trials. */
struct result_repeat {
	char *phase, *metric;
	uint32_t trials, left_out;        /* in these figures; INVALID or without one */
	double median, low, high;         /* 95 % interval of the median; NAN with fewer than six */
	double mean, mean_low, mean_high; /* 95 % interval of the mean; NAN with fewer than ten */
	double spread;                    /* (largest - smallest) / median */
	double variation;                 /* standard deviation / mean */
	double drift,
		drift_p;   /* of the fitted line, first to last, of the mean; p NAN: two trials */
	double detectable; /* the least change that as many trials a side find */
};

/* The trials of a phase held against those of another or of a baseline. */
struct result_comparison {
	char *phase, *metric, *against;
	uint32_t trials, against_trials;
	double shift, low, high; /* percent of the other's median; low and high NAN: too few */
	double p;
	bool confounded; /* all trials of one side came first */
	char *verdict;   /* BETTER, WORSE, SAME, INCONCLUSIVE */
	char *text;      /* why INCONCLUSIVE; else NULL */
};

struct result {
	char *schema;
	char *outcome;
	char *reason;     /* one sentence: why it is not PASS */
	char *run;        /* id */
	char *started_at; /* wall clock, for people */
	char *version;
	uint64_t min_window_ns;
	bool insecure;
	char *baseline; /* id of the run that gates were held against; NULL: none */
	struct plan *plan;
	struct facts *facts; /* NULL: nothing is known of the storage */
	struct result_host *hosts;
	uint32_t hosts_count;
	struct result_phase *phases;
	uint32_t phases_count;
	struct result_finding *findings;
	uint32_t findings_count;
	struct result_repeat *repeats;
	uint32_t repeats_count;
	struct result_comparison *comparisons;
	uint32_t comparisons_count;
	struct result_gate *gates;
	uint32_t gates_count;
};

/* One line of timeline.csv: what one target of one host completed in one bucket. */
struct result_bucket {
	uint32_t phase; /* index from 1 into phases[] */
	char *name;     /* of the phase */
	uint32_t trial;
	char *host, *target;
	uint32_t bucket;
	uint64_t start_ns; /* of the bucket, since the run's start */
	uint64_t bucket_ns;
	bool ramp;
	uint64_t bytes, bytes_read, bytes_written, bytes_trimmed, operations, errors;
	uint64_t worst_ns;
	int64_t edge_error_ns;  /* how far after its instant the bucket began */
	uint64_t edge_bound_ns; /* the error is within +- this */
	bool disrupted;         /* the host's clock jumped about then */
};

extern const struct record_table result_table;
extern const struct record_table result_phase_table;
extern const struct record_table result_cluster_table;
extern const struct record_table result_bucket_table;

/* A host by its name, NULL when there is none; in phases hosts come in the same order, so that it
 * is nearly always at its own `index`. */
const struct result_host *result_find_host(const struct result *result, uint32_t index,
					   const char *name);

/* What the plan says of a phase; NULL when it has none of that name. */
const struct phase *result_plan_phase(const struct result *result, const char *name);

/* ---- what is measured but not in run.json as such: handed from collect to the analysis ---- */

/* The timeline of one target on one host in one phase; bucket k starts at phase start + k *
 * bucket_ns. */
struct series_bucket { /* of a trim, what was given back stands as written */
	uint64_t bytes_read, bytes_written, operations, errors, worst_ns;
};
struct series {
	struct series_bucket *buckets;
	uint32_t count, room; /* room: allocated */
};
/* Where a bucket of a host began. */
struct series_edge {
	int64_t error_ns;
	uint64_t bound_ns;
	bool disrupted;
};
/* Beside result_phase.hosts[h].targets[t]: series[h][t] and latency[h][t], and response[h][t] and
 * syncs[h][t] where those of [h] are not NULL; beside hosts[h]:
 * edges[h], one for each bucket up to edges_count[h]. */
struct phase_series {
	struct series_edge **edges;
	uint32_t *edges_count;
	struct series **series;
	struct histogram **latency;
	struct histogram **response, **syncs;
};
struct result_series {
	struct phase_series *phases; /* as many as result.phases */
};

#endif
