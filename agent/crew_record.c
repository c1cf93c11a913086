/* crew_record.c - what a crew has left on its target's files and devices: which generation, where.
 *
 * A worker's requests are numbered. Those before the first that failed surely wrote their block;
 * those that were submitted may have. Between the two a block is of a generation that is known to
 * be one of a few. */
#include "agent/crew.h"

#include <stdlib.h>

#include "agent/offsets.h"
#include "common/memory.h"
#include "common/pattern.h"

struct change {
	uint64_t oldest, newest;
	bool is_sure; /* all of it was written over */
	uint64_t unit;
};

/* [from, to) of the target, as stretches of its parts. */
static void record(const struct crew *crew, struct written *written, uint64_t from, uint64_t to,
		   const struct change *change)
{
	const struct load_target *target = crew->target;
	const char *host = crew_worker(crew, 0)->setup.host;

	for (uint32_t i = 0; i < target->parts_count; i++) {
		const struct part *part = target->parts[i];
		if (!part->path)
			continue;
		struct written_range range = {
			.from = stripe_part_end(&target->stripe, i, from),
			.to = stripe_part_end(&target->stripe, i, to),
			.seed = crew_worker(crew, 0)->setup.seed,
			.owner = pattern_owner(host, part->target->name),
			.oldest = change->oldest,
			.newest = change->newest,
			.shape = phase_shape(crew->phase),
			.unit = change->unit,
		};
		if (change->is_sure)
			written_set(written, part->path, &range);
		else
			written_touch(written, part->path, &range);
	}
}

static bool has_failed(const struct crew *crew)
{
	for (uint32_t i = 0; i < crew->count; i++)
		if (crew_worker(crew, i)->intact != UINT64_MAX)
			return true;
	return false;
}

/* A write that failed can have torn its block anywhere. */
static uint64_t unit_of(const struct crew *crew)
{
	return has_failed(crew) ? PATTERN_SECTOR : phase_targets_unit(crew->target, crew->phase);
}

/* ---- sequential writes ---- */

/* Workers that walk alike: one on a region of its own, or all that take turns. Row i is the i-th
 * block of each of them. */
struct walkers {
	const struct crew *crew;
	uint32_t first, count;
};

/* How often row `row` was visited by the first `requests` of a worker that has `count` rows. */
static uint64_t visits(uint64_t requests, uint64_t count, uint64_t row)
{
	return requests > row ? (requests - 1 - row) / count + 1 : 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The rows at which what is known changes, ascending; 3 for each worker. */
static uint64_t *find_borders(const struct walkers *w)
{
	uint64_t *borders = mem_new(3 * (size_t)w->count, sizeof(*borders));

	for (uint32_t i = 0; i < w->count; i++) {
		const struct worker *worker = crew_worker(w->crew, w->first + i);
		borders[3 * i] = worker_written_blocks(worker) % worker->offsets.count;
		borders[3 * i + 1] = worker->submitted % worker->offsets.count;
		borders[3 * i + 2] = worker->offsets.count;
	}
	qsort(borders, 3 * (size_t)w->count, sizeof(*borders), compare);
	return borders;
}

/* Rows [from, to), in which nothing changes. */
static void record_rows(const struct walkers *w, uint64_t from, uint64_t to,
			struct written *written)
{
	const struct offsets *o = &crew_worker(w->crew, w->first)->offsets;
	uint64_t first = crew_worker(w->crew, w->first)->setup.generation;
	uint64_t least = UINT64_MAX, most = 0, end = o->first + to * o->step;

	for (uint32_t i = 0; i < w->count; i++) {
		const struct worker *worker = crew_worker(w->crew, w->first + i);
		if (from >= worker->offsets.count)
			continue;
		uint64_t sure = visits(worker_written_blocks(worker), worker->offsets.count, from);
		uint64_t possible = visits(worker->submitted, worker->offsets.count, from);
		least = sure < least ? sure : least;
		most = possible > most ? possible : most;
	}
	if (from >= to || !most)
		return;
	if (end > o->first + o->count && o->step == 1)
		end = o->first + o->count;
	if (end > o->blocks)
		end = o->blocks;
	struct change change = {
		.oldest = first + least - 1,
		.newest = first + most - 1,
		.is_sure = least > 0,
		.unit = unit_of(w->crew),
	};
	record(w->crew, written, (o->first + from * o->step) * o->block_size, end * o->block_size,
	       &change);
}

static void record_walkers(const struct walkers *w, struct written *written)
{
	uint64_t *borders = find_borders(w), from = 0;

	for (uint32_t i = 0; i < 3 * w->count; i++) {
		record_rows(w, from, borders[i], written);
		from = borders[i];
	}
	free(borders);
}

static void record_sequential(const struct crew *crew, struct written *written)
{
	struct walkers w = {.crew = crew, .count = crew->count};

	if (crew->phase->split == PHASE_SPLIT_INTERLEAVED) {
		record_walkers(&w, written);
		return;
	}
	for (w.count = 1; w.first < crew->count; w.first++)
		record_walkers(&w, written);
}

/* ---- random writes that cover all ---- */

/* Of workers `first` on, which share a region: whole passes wrote each block, one that was cut
 * short any. */
static void record_cover(const struct walkers *w, uint64_t from, uint64_t to,
			 struct written *written)
{
	uint64_t first = crew_worker(w->crew, w->first)->setup.generation;
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		const struct worker *worker = crew_worker(w->crew, w->first + i);
		uint64_t count = worker->offsets.count;
		uint64_t sure = worker_written_blocks(worker) / count;
		uint64_t possible = (worker->submitted + count - 1) / count;
		least = sure < least ? sure : least;
		most = possible > most ? possible : most;
	}
	struct change change = {
		.oldest = first + least - 1,
		.newest = first + most - 1,
		.is_sure = least > 0,
		.unit = unit_of(w->crew),
	};
	if (most)
		record(w->crew, written, from, to, &change);
}

static void record_covers(const struct crew *crew, struct written *written)
{
	struct walkers w = {.crew = crew, .count = crew->count};

	if (crew->phase->split == PHASE_SPLIT_INTERLEAVED) {
		record_cover(&w, 0, crew->target->used_bytes, written);
		return;
	}
	for (w.count = 1; w.first < crew->count; w.first++) {
		const struct offsets *o = &crew_worker(crew, w.first)->offsets;
		record_cover(&w, o->first * o->block_size, (o->first + o->count) * o->block_size,
			     written);
	}
}

/* ---- any other ---- */

static uint64_t next_generation(const struct crew *crew)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < crew->count; i++) {
		uint64_t generation = crew_worker(crew, i)->offsets.generation;
		next = generation + 1 > next ? generation + 1 : next;
	}
	return next;
}

/* Any block may have been written, or not. */
static void record_scattered(const struct crew *crew, struct written *written)
{
	struct change change = {.newest = next_generation(crew) - 1, .unit = unit_of(crew)};

	record(crew, written, 0, crew->target->used_bytes, &change);
}

/* ---- trims ---- */

static void record_trim(const struct crew *crew, struct written *written, uint64_t from,
			uint64_t to)
{
	const struct load_target *target = crew->target;

	for (uint32_t i = 0; i < target->parts_count; i++)
		if (target->parts[i]->path)
			written_trim(written, target->parts[i]->path,
				     stripe_part_end(&target->stripe, i, from),
				     stripe_part_end(&target->stripe, i, to));
}

/* What may have been given back, also by one that failed. */
static void record_trims(const struct crew *crew, struct written *written)
{
	const struct phase *phase = crew->phase;
	bool is_anywhere =
		phase->access == PHASE_ACCESS_RANDOM || phase->split == PHASE_SPLIT_INTERLEAVED;

	if (is_anywhere) {
		record_trim(crew, written, 0, crew->target->used_bytes);
		return;
	}
	for (uint32_t i = 0; i < crew->count; i++) {
		const struct worker *worker = crew_worker(crew, i);
		const struct offsets *o = &worker->offsets;
		uint64_t rows = worker->submitted < o->count ? worker->submitted : o->count;
		record_trim(crew, written, o->first * o->block_size,
			    (o->first + rows) * o->block_size);
	}
}

void crew_record(const struct crew *crew, struct written *written)
{
	const struct load_target *target = crew->target;

	if (crew->phase->op == PHASE_OP_TRIM)
		record_trims(crew, written);
	if (!phase_writes_data(crew->phase))
		return;
	for (uint32_t i = 0; i < target->parts_count; i++)
		if (target->parts[i]->path)
			written_set_generation(written, target->parts[i]->path,
					       next_generation(crew));
	bool is_exact = phase_only_writes(crew->phase);
	if (is_exact && crew->phase->access == PHASE_ACCESS_SEQUENTIAL)
		record_sequential(crew, written);
	else if (is_exact && phase_covers(crew->phase))
		record_covers(crew, written);
	else
		record_scattered(crew, written);
}
