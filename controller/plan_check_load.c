/* What a phase's load may be made of: which shapes go together. */
#include "controller/plan_check.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

/* ---- a mix of block sizes ---- */

static void check_sizes(struct plan_check *check, const struct phase *phase, const char *path)
{
	char text[UNITS_TEXT_SIZE];

	for (uint32_t i = 0; i < phase->block_mix_count; i++) {
		const struct block_share *one = &phase->block_mix[i];
		units_format_exact(text, one->size);
		if (one->size % 512)
			plan_check_error(check, &one->size, phase,
					 "%s.block_size: %s is not a multiple of 512; %llu is",
					 path, text,
					 (unsigned long long)(one->size / 512 * 512 + 512));
		for (uint32_t k = 0; k < i; k++)
			if (phase->block_mix[k].size == one->size)
				plan_check_error(check, &one->size, phase,
						 "%s.block_size: %s is there twice; give each size "
						 "one share",
						 path, text);
	}
}

static void check_shares(struct plan_check *check, const struct phase *phase, const char *path)
{
	uint32_t shares = 0;

	for (uint32_t i = 0; i < phase->block_mix_count; i++)
		shares += phase->block_mix[i].share;
	if (phase->block_mix_count > PHASE_MIX_MOST)
		plan_check_error(check, &phase->block_mix, phase,
				 "%s.block_size: a mix of %u sizes; at most %d are possible", path,
				 phase->block_mix_count, PHASE_MIX_MOST);
	else if (shares != 100)
		plan_check_error(check, &phase->block_mix, phase,
				 "%s.block_size: the shares add up to %u%%; they have to be 100%%",
				 path, shares);
}

static void check_mix(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (!phase->block_mix_count)
		return;
	check_sizes(check, phase, path);
	check_shares(check, phase, path);
	if (phase->access != PHASE_ACCESS_RANDOM)
		plan_check_error(check, &phase->block_mix, phase,
				 "%s.block_size: a mix of sizes has no sequence; write access: "
				 "random, or one size",
				 path);
	if (phase->split != PHASE_SPLIT_REGIONS)
		plan_check_error(check, &phase->split, phase,
				 "%s.split: workers cannot take turns on blocks of several sizes; "
				 "write regions, or one block_size",
				 path);
}

/* ---- a rate ---- */

static void check_rate(struct plan_check *check, const struct phase *phase, const char *path)
{
	uint64_t bytes, operations;
	struct error err = {0};

	if (!phase->rate)
		return;
	if (units_parse_load_rate(phase->rate, &bytes, &operations, &err) < 0) {
		plan_check_error(check, &phase->rate, phase, "%s.rate: %s", path, err.text);
		return;
	}
	if ((bytes ? bytes : operations) < phase_least_rate(phase, bytes > 0))
		plan_check_error(check, &phase->rate, phase,
				 "%s.rate: '%s' is less than an I/O a minute of each of %u "
				 "workers; take a higher rate, fewer workers or smaller blocks",
				 path, phase->rate, phase->workers);
}

/* ---- syncs ---- */

static void check_sync(struct plan_check *check, const struct phase *phase, const char *path)
{
	bool ends = phase->sync == PHASE_SYNC_END || phase->sync == PHASE_SYNC_AUTO;

	if (phase->sync_every && !phase_writes_data(phase))
		plan_check_error(check, &phase->sync_every, phase,
				 "%s.sync_every: op: %s has nothing to sync; leave it out", path,
				 phase_op_names[phase->op]);
	else if (phase->sync_every && phase->sync == PHASE_SYNC_EACH)
		plan_check_error(check, &phase->sync_every, phase,
				 "%s.sync_every: sync: each syncs after every write already; leave "
				 "one of them out",
				 path);
	else if (plan_check_is_written(check, &phase->sync_call) && !phase->sync_every &&
		 (!phase_writes(phase) || !ends))
		plan_check_error(check, &phase->sync_call, phase,
				 "%s.sync_call: it is for sync_every and for sync: end, and this "
				 "phase has neither; leave it out",
				 path);
}

/* ---- trim and idle ---- */

static void check_trim(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->op != PHASE_OP_TRIM)
		return;
	if (phase->queue_depth > 1)
		plan_check_error(check, &phase->queue_depth, phase,
				 "%s.queue_depth: %u, but a worker trims one block at a time; take "
				 "queue_depth: 1 and workers: %llu for as many",
				 path, phase->queue_depth,
				 (unsigned long long)phase->queue_depth * phase->workers);
	if (phase->block_mix_count && !phase->size)
		plan_check_error(check, &phase->block_mix, phase,
				 "%s.block_size: a trim without size gives each block back once; "
				 "write one block_size, or a size",
				 path);
	if (phase->iopoll)
		plan_check_error(check, &phase->iopoll, phase,
				 "%s.iopoll: a trim phase has no completions to poll for; leave it "
				 "out",
				 path);
	if (phase->sync == PHASE_SYNC_EACH)
		plan_check_error(
			check, &phase->sync, phase,
			"%s.sync: a trim phase has no writes to sync each of; write end or "
			"none",
			path);
	if (phase->engine != PHASE_ENGINE_AUTO)
		plan_check_error(check, &phase->engine, phase,
				 "%s.engine: a trim phase has one of its own; write auto, or leave "
				 "it out",
				 path);
}

static void check_idle(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->op == PHASE_OP_IDLE && !phase->runtime)
		plan_check_error(check, &phase->op, phase,
				 "%s.op: an idle phase needs a runtime, as 60s", path);
}

/* ---- fill ---- */

/* What was inherited as well: a fill that is cut short is none. */
static void check_fill(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->op != PHASE_OP_FILL) {
		if (plan_check_is_written(check, &phase->passes))
			plan_check_error(check, &phase->passes, phase,
					 "%s.passes: it is of fills; op: %s ends by size or "
					 "runtime",
					 path, phase_op_names[phase->op]);
		return;
	}
	if (!phase->passes)
		plan_check_error(check, &phase->passes, phase,
				 "%s.passes: a fill writes all at least once; write 1 or more",
				 path);
	if (phase->runtime)
		plan_check_error(
			check, &phase->runtime, phase,
			"%s.runtime: a fill ends when all was written `passes` times; write "
			"runtime: 0 in it, or leave it out",
			path);
	if (phase->size)
		plan_check_error(
			check, &phase->size, phase,
			"%s.size: a fill writes all of its targets `passes` times; leave it "
			"out",
			path);
	if (phase->block_mix_count)
		plan_check_error(
			check, &phase->block_mix, phase,
			"%s.block_size: a fill writes each block once a pass; write one size",
			path);
}

/* Its figures would be of nothing. */
static void check_gates(struct plan_check *check, const struct phase *phase)
{
	for (uint32_t i = 0; i < check->plan->gates_count; i++) {
		const struct plan_gate *gate = &check->plan->gates[i];
		if (phase->op == PHASE_OP_IDLE && phase->name && gate->phase &&
		    strcmp(gate->phase, phase->name) == 0)
			plan_check_error(
				check, &gate->phase, gate,
				"gates[%u].phase: '%.80s' is idle and has no figures; name "
				"another phase",
				i, gate->phase);
	}
}

/* ---- coverage ---- */

static void check_coverage(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->coverage != PHASE_COVERAGE_FULL)
		return;
	if (phase->access != PHASE_ACCESS_RANDOM)
		plan_check_error(check, &phase->coverage, phase,
				 "%s.coverage: sequential access covers all blocks anyway; write "
				 "access: random, or leave it out",
				 path);
	else if (phase->block_mix_count)
		plan_check_error(
			check, &phase->coverage, phase,
			"%s.coverage: blocks of several sizes cannot be visited once each; "
			"write one block_size, or leave it out",
			path);
}

void plan_check_load(struct plan_check *check, const struct phase *phase, const char *path)
{
	check_mix(check, phase, path);
	check_coverage(check, phase, path);
	check_rate(check, phase, path);
	check_sync(check, phase, path);
	check_trim(check, phase, path);
	check_idle(check, phase, path);
	check_fill(check, phase, path);
	check_gates(check, phase);
}
