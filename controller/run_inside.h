/* run_inside.h - what a run, one that is taken up again, and one that is collected share: from
 * what was measured to report and run directory. */
#ifndef MUSTER_CONTROLLER_RUN_INSIDE_H
#define MUSTER_CONTROLLER_RUN_INSIDE_H

#include "controller/assembly.h"
#include "controller/collect.h"
#include "controller/journal_read.h"
#include "controller/options.h"
#include "controller/progress.h"
#include "controller/result.h"
#include "controller/sign.h"
#include "controller/store_again.h"

struct run {
	const struct options *options;
	struct plan *plan;
	struct assembly assembly;
	const volatile int *interrupted;
	struct result result;
	struct result baseline; /* schema NULL: none */
	struct result_series series;
	struct collect collect;
	struct progress_line progress;
	struct bytes exchanges; /* clock.bin */
	struct sign_key *key;   /* NULL: MANIFEST.json is not signed */
	char *directory;
	char *put_aside; /* where the result before is now; NULL: there was none */
	bool began;      /* a host was told to start */
	bool is_stored;  /* the run directory is whole */
	char *left_in;   /* the directory whose journal leads to what is left; NULL: none */
	uint64_t seed;
	struct bytes plan_text; /* plan.yaml in the directory */
	uint32_t plan_crc;
	struct journal *journal;
	bool is_incomplete;                   /* something is left to collect or to go on with */
	const struct store_again *again;      /* NULL: from the beginning */
	const struct journal_content *before; /* what was measured then */
	struct journal_locks
		*locks;        /* held of an earlier run's journals; NULL: this is a new one */
	uint32_t whole_trials; /* of it */
};

/* Reads the key that MANIFEST.json is signed with, and the baseline of its gates. */
int run_read_files(struct run *run, struct error *err);

/* Fills in what stands above a result. */
void run_describe(struct run *run, const char *started_at);

/* The plan.yaml that stands in the temporary directory. */
void run_read_plan(struct run *run);

/* Phases that the plan wants and nobody has measured: RUN_INCOMPLETE. */
void run_count_phases(struct run *run);

/* Findings, gates, run directory, text. Answers the exit code. */
int run_report(struct run *run);
void run_release(struct run *run);

#endif
