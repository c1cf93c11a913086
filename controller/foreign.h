/* foreign.h - numbers that muster did not measure, as a person tells them (docs/JUDGE.md).
 *
 * A YAML or JSON file says what was asked for, in the plan's own words (targets, phases, gates),
 * what is known of hosts and storage, and names CSV files beside it with what was measured. From it
 * comes a result as if muster had measured it, for the same analysis, gates and reports. */
#ifndef MUSTER_CONTROLLER_FOREIGN_H
#define MUSTER_CONTROLLER_FOREIGN_H

#include "controller/facts.h"
#include "controller/plan.h"
#include "controller/result.h"

/* What targets have for an engine, whose figures were told. */
#define FOREIGN_ENGINE "foreign"

/* A line of `timeline`: what was done from its time to the next. NAN: not told. */
struct foreign_sample {
	double time_s;
	char *host, *target;
	double bytes, bytes_per_s, operations, operations_per_s, errors;
	uint32_t line;
};

/* An element of `moved`, a line of `totals`: what a target, or one of its workers, did in all. */
struct foreign_total {
	char *host, *target, *worker;
	double start_s, end_s, seconds;
	double bytes, bytes_per_s, operations, operations_per_s, errors;
	uint32_t line;
};

enum foreign_count {
	FOREIGN_COUNT_BYTES_READ,
	FOREIGN_COUNT_BYTES_WRITTEN,
	FOREIGN_COUNT_SECTORS_READ, /* of 512 bytes, whatever the device's are */
	FOREIGN_COUNT_SECTORS_WRITTEN,
	FOREIGN_COUNT_READS,
	FOREIGN_COUNT_WRITES,
	FOREIGN_COUNT_READ_MS,
	FOREIGN_COUNT_WRITE_MS,
	FOREIGN_COUNTS,
};
extern const char *const foreign_count_names[];

/* A line of `counters`: a counter of a device before and after. */
struct foreign_counter {
	char *host, *device, *under, *target;
	enum foreign_count counter;
	uint64_t before, after;
	uint32_t line;
};

/* A line of `ticks`: what a host's clocks showed, and what was moved since the line before. */
struct foreign_tick {
	char *host;
	double realtime_s, monotonic_s, boottime_s, bytes;
	uint32_t line;
};

/* A line of `heartbeats`: when something was heard of a host, on one clock. */
struct foreign_beat {
	char *host;
	double sent_s, arrived_s;
	uint32_t line;
};

struct foreign_host {
	char *host;
	char *os;
	uint64_t memory, arc_most;
	struct plan_label *labels;
	uint32_t labels_count;
};

struct foreign_phase_host {
	char *host;
	uint64_t agent_elapsed, controller_elapsed, round_trip; /* ns */
	bool disk_full;                                         /* before the end */
};

struct foreign_measured {
	char *phase;
	uint32_t trial;
	char *controller; /* through which the bytes went, where that differs */
	bool hung;        /* it never ended: there is no figure */
	uint64_t bucket;  /* ns, of a line and of the result; 0: as the timeline has it */
	char *timeline, *totals, *counters, *ticks, *heartbeats; /* files; NULL: none */
	struct foreign_total *moved;
	uint32_t moved_count;
	struct foreign_phase_host *hosts;
	uint32_t hosts_count;

	/* read from the files; computed */
	struct foreign_sample *samples;
	uint32_t samples_count;
	struct foreign_counter *counts;
	uint32_t counts_count;
	struct foreign_tick *clock;
	uint32_t clock_count;
	struct foreign_beat *beats;
	uint32_t beats_count;
};

struct foreign {
	uint32_t judge; /* version of this schema */
	char *name;
	uint64_t min_window, suspect_after, dead_after; /* ns */
	struct foreign_host *hosts;
	uint32_t hosts_count;
	struct target *targets;
	uint32_t targets_count;
	struct phase *phases;
	uint32_t phases_count;
	struct plan_gate *gates;
	uint32_t gates_count;
	struct fact_storage *storage;
	uint32_t storage_count;
	struct fact_link *links;
	uint32_t links_count;
	struct fact_sweep *sweeps;
	uint32_t sweeps_count;
	struct foreign_measured *measured;
	uint32_t measured_count;

	bool *direct_told; /* of each phase: it says whether I/O was direct */
};

extern const struct record_table foreign_table;
extern const struct record_table foreign_sample_table;
extern const struct record_table foreign_total_table;
extern const struct record_table foreign_counter_table;
extern const struct record_table foreign_tick_table;
extern const struct record_table foreign_beat_table;

/* Reads the file and those it names (beside it; at most 1 GiB each) and checks every rule. Answers
 * whether there were no errors: all of them are in `errors`, those of a CSV with its name. Nothing
 * to release when it answers false. */
bool foreign_read(struct foreign *foreign, const char *path, struct yaml_errors *errors);
/* The same from memory: `directory` is where the files are looked for; NULL: none may be named. */
bool foreign_parse(struct foreign *foreign, const char *bytes, size_t size, const char *directory,
		   struct yaml_errors *errors);
void foreign_release(struct foreign *foreign);

/* Takes what it can use: a result with its timelines as collect would have left them, and what only
 * the numbers themselves can show already found (TIME_UNKNOWN, VALUES_DISAGREE, COUNTER_WRAP, …).
 * Both are the caller's, for foreign_result_release. */
void foreign_build(struct foreign *foreign, struct result *result, struct result_series *series);
void foreign_result_release(struct result *result, struct result_series *series);

#endif
