#include "controller/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/window.h"
#include "controller/phase_edges.h"
#include "controller/realign.h"

/* How far beyond the present a bucket may lie: clocks differ by their bound, not by more. */
#define BUCKET_SLACK_NS (10 * NS_PER_S)

/* ---- begin ---- */

static void free_series(struct result_phase *phase, struct phase_series *series)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
			free(series->series[h][t].buckets);
		free(series->series[h]);
		free(series->latency[h]);
		free(series->response[h]);
		free(series->syncs[h]);
		free(series->edges[h]);
	}
	free(series->series);
	free(series->latency);
	free(series->response);
	free(series->syncs);
	free(series->edges);
	free(series->edges_count);
	*series = (struct phase_series){0};
}

static struct result_phase *current(const struct collect *collect)
{
	return &collect->result->phases[collect->result->phases_count - 1];
}

static struct phase_series *current_series(const struct collect *collect)
{
	return &collect->series->phases[collect->result->phases_count - 1];
}

static void add_host(struct collect *collect, struct result_phase *result,
		     struct phase_series *series, const char *name)
{
	struct result_phase_host *host = RECORD_APPEND(result->hosts, result->hosts_count);
	uint32_t h = result->hosts_count - 1, targets = collect->phase->targets_count;

	host->host = mem_text(name);
	for (uint32_t t = 0; t < targets; t++) {
		struct result_target *target = RECORD_APPEND(host->targets, host->targets_count);
		target->target = mem_text(collect->phase->targets[t].name);
		target->io = mem_text("none");
		target->throughput_bytes_per_s = target->iops = NAN;
		target->throughput_with_sync_bytes_per_s = NAN;
	}
	series->series[h] = mem_new(targets, sizeof(**series->series));
	series->latency[h] = mem_new(targets, sizeof(**series->latency));
}

void collect_begin(struct collect *collect, const struct fleet *fleet, const struct plan *plan,
		   const struct phase *phase, uint32_t trial, bool again)
{
	struct result *result = collect->result;

	if (again) {
		free_series(current(collect), current_series(collect));
		record_release(&result_phase_table, current(collect));
		result->phases_count--;
	}
	struct result_phase *entry = RECORD_APPEND(result->phases, result->phases_count);
	collect->series->phases = mem_resize(collect->series->phases, result->phases_count,
					     sizeof(*collect->series->phases));
	struct phase_series *series = current_series(collect);
	*series = (struct phase_series){
		.series = mem_new(fleet->count, sizeof(*series->series)),
		.latency = mem_new(fleet->count, sizeof(*series->latency)),
		.response = mem_new(fleet->count, sizeof(*series->response)),
		.syncs = mem_new(fleet->count, sizeof(*series->syncs)),
		.edges = mem_new(fleet->count, sizeof(*series->edges)),
		.edges_count = mem_new(fleet->count, sizeof(*series->edges_count)),
	};
	entry->name = mem_text(phase->name);
	entry->op = mem_text(phase_op_names[phase->op]);
	entry->trial = trial;
	entry->bucket_ns = plan->bucket;
	entry->ramp_ns = phase_ramp_ns(phase, plan->bucket);
	collect->phase = phase;
	collect->start_ns = collect->bytes = 0;
	collect->is_ending = false;
	free(collect->phase_host);
	collect->phase_host = mem_new(fleet->count, sizeof(*collect->phase_host));
	for (uint32_t i = 0; i < fleet->count; i++) {
		/* One that was lost before is missed in this phase too: no smaller fleet. */
		bool in = fleet->hosts[i].in_phase || fleet->hosts[i].status == FLEET_STATUS_LOST;
		collect->phase_host[i] = in ? entry->hosts_count : UINT32_MAX;
		if (in)
			add_host(collect, entry, series, fleet->hosts[i].plan->name);
	}
}

void collect_release(struct collect *collect)
{
	for (uint32_t p = 0; p < collect->result->phases_count; p++)
		free_series(&collect->result->phases[p], &collect->series->phases[p]);
	free(collect->series->phases);
	free(collect->phase_host);
	collect->series->phases = NULL;
	collect->phase_host = NULL;
}

/* ---- timeline ---- */

/* So that bucket `bucket` has one. Powers of two: most bookings change nothing. */
static size_t room_for(uint64_t bucket)
{
	size_t room = 64;

	while (room <= bucket)
		room *= 2;
	return room;
}

uint64_t collect_memory(uint64_t buckets, uint64_t targets)
{
	uint64_t target = (buckets ? room_for(buckets - 1) : 0) * sizeof(struct series_bucket) +
			  sizeof(struct histogram) + sizeof(struct series);

	return targets * target + buckets * sizeof(struct series_edge);
}

static struct series_bucket *bucket_at(struct series *series, uint32_t bucket)
{
	if (bucket >= series->room) {
		series->room = (uint32_t)room_for(bucket);
		series->buckets =
			mem_resize(series->buckets, series->room, sizeof(*series->buckets));
	}
	if (bucket >= series->count) {
		memset(&series->buckets[series->count], 0,
		       (bucket + 1 - series->count) * sizeof(*series->buckets));
		series->count = bucket + 1;
	}
	return &series->buckets[bucket];
}

void collect_timeline(void *context, uint32_t host, const struct timeline *timeline)
{
	struct collect *collect = context;

	/* Before the first start there is no phase to put it in. */
	if (!collect->start_ns || collect->is_ending || collect->phase_host[host] == UINT32_MAX)
		return;
	uint32_t h = collect->phase_host[host];
	uint64_t until_ns = collect->until_ns ? collect->until_ns : clock_now_ns();
	/* Negative long before the start: then there is no bucket but the first. */
	int64_t passed_ns = (int64_t)(until_ns + BUCKET_SLACK_NS - collect->start_ns);
	uint64_t latest = passed_ns > 0 ? (uint64_t)passed_ns / current(collect)->bucket_ns : 0;
	for (uint32_t i = 0; i < timeline->buckets_count; i++) {
		const struct timeline_bucket *from = &timeline->buckets[i];
		if (from->target >= collect->phase->targets_count) {
			collect->dropped++;
			continue;
		}
		/* A clock that jumped ahead books into buckets that are not yet: nothing is lost,
		 * and no more memory is taken than time has passed for. */
		uint32_t bucket = from->bucket <= latest ? from->bucket : (uint32_t)latest;
		struct series_bucket *to =
			bucket_at(&current_series(collect)->series[h][from->target], bucket);
		to->bytes_read += from->bytes_read;
		to->bytes_written += from->bytes_written;
		to->operations += from->operations;
		to->errors += from->errors;
		if (from->worst_ns > to->worst_ns)
			to->worst_ns = from->worst_ns;
		collect->bytes += from->bytes_read + from->bytes_written;
	}
}

/* ---- end ---- */

/* What the timeline says: all that is known of a host that was lost. */
static void fill_from_series(struct result_phase *phase, const struct series *series,
			     struct result_target *target)
{
	uint64_t ramp_buckets = phase->ramp_ns / phase->bucket_ns;

	for (uint32_t k = 0; k < series->count; k++) {
		const struct series_bucket *bucket = &series->buckets[k];
		if (k < ramp_buckets) {
			target->ramp_bytes += bucket->bytes_read + bucket->bytes_written;
			continue;
		}
		target->bytes_read += bucket->bytes_read;
		target->bytes_written += bucket->bytes_written;
		target->operations += bucket->operations;
		target->errors += bucket->errors;
	}
	target->bytes = target->bytes_read + target->bytes_written;
}

static struct result_latency fill_histogram(struct histogram *h, const struct histogram_bin *bins,
					    uint32_t count, uint64_t max_ns)
{
	for (uint32_t i = 0; i < count; i++) {
		h->counts[bins[i].index] += bins[i].count;
		h->total += bins[i].count;
	}
	h->max = max_ns;
	return window_latency(h);
}

/* Times that not every phase has: a row of histograms is made when there are some. */
static struct result_latency *fill_more(struct histogram **row, uint32_t targets, uint32_t t,
					const struct done_latency *from)
{
	if (!from)
		return NULL;
	if (!*row)
		*row = mem_new(targets, sizeof(**row));
	struct result_latency *latency = mem_new(1, sizeof(*latency));
	*latency = fill_histogram(&(*row)[t], from->bins, from->bins_count, from->max_ns);
	return latency;
}

static void fill_latencies(const struct done_target *from, struct phase_series *series, uint32_t h,
			   uint32_t t, struct result_phase_host *entry)
{
	struct result_target *target = &entry->targets[t];

	target->latency_ns = fill_histogram(&series->latency[h][t], from->latency,
					    from->latency_count, from->max_latency_ns);
	target->response_ns =
		fill_more(&series->response[h], entry->targets_count, t, from->response);
	target->syncs_ns = fill_more(&series->syncs[h], entry->targets_count, t, from->syncs);
	if (target->syncs_ns)
		target->syncs = series->syncs[h][t].total;
}

/* A host's answer and its clock, while they are put into the result. */
struct filling {
	struct collect *collect;
	const struct fleet *fleet;
	const struct fleet_host *host;
	struct phase_edges edges;
	struct host_clock clock;
	uint64_t bound_ns; /* of the worst of its workers' instants */
};

static uint64_t since_run(struct filling *filling, uint64_t agent_ns)
{
	struct host_instant instant;
	uint64_t since = phase_edges_since_run(&filling->edges, &filling->clock, filling->host,
					       agent_ns, &instant);

	if (instant.bound_ns > filling->bound_ns)
		filling->bound_ns = instant.bound_ns;
	return since;
}

/* An agent knows the owner of strange data as a hash; the fleet's names tell which target that is.
 */
static char *name_owner(const struct fleet *fleet, uint64_t owner)
{
	for (uint32_t h = 0; h < fleet->count; h++) {
		const struct plan_host *host = fleet->hosts[h].plan;
		for (uint32_t t = 0; t < host->targets_count; t++)
			if (pattern_owner(host->name, host->targets[t].name) == owner)
				return mem_format("target '%s' of host '%s'", host->targets[t].name,
						  host->name);
	}
	return NULL;
}

static void fill_miscompares(const struct fleet *fleet, const struct miscompares *from,
			     struct miscompares *into)
{
	char *owner = from->first_owner ? name_owner(fleet, from->first_owner) : NULL;

	record_copy(&miscompares_table, into, from);
	if (owner && into->first) {
		free(into->first);
		into->first = mem_format("%s: %s", from->first, owner);
	}
	free(owner);
}

static void fill_target(struct filling *filling, const struct done_target *from,
			struct result_target *target)
{
	target->bytes_read = from->bytes_read;
	target->bytes_written = from->bytes_written;
	target->bytes = from->bytes_read + from->bytes_written;
	target->operations = from->operations;
	target->errors = from->errors;
	target->ramp_bytes = from->ramp_bytes_read + from->ramp_bytes_written;
	target->passes = from->passes;
	target->first_io_ns = since_run(filling, from->first_io_ns);
	target->last_io_ns = since_run(filling, from->last_io_ns);
	target->sync_ns = from->sync_ns;
	for (uint32_t i = 0; i < from->sizes_count; i++)
		*(struct done_size *)RECORD_APPEND(target->sizes, target->sizes_count) =
			from->sizes[i];
	for (uint32_t i = 0; i < from->io_errors_count; i++)
		record_copy(&io_error_table,
			    RECORD_APPEND(target->io_errors, target->io_errors_count),
			    &from->io_errors[i]);
	target->first_error = mem_text(from->first_error);
	fill_miscompares(filling->fleet, &from->miscompares, &target->miscompares);
	window_target_rates(current(filling->collect), target);
}

static void fill_ready(const struct ready *ready, struct result_phase_host *entry)
{
	for (uint32_t i = 0; i < ready->targets_count; i++) {
		const struct ready_target *from = &ready->targets[i];
		for (uint32_t t = 0; t < entry->targets_count; t++) {
			struct result_target *target = &entry->targets[t];
			if (!from->target || strcmp(from->target, target->target) != 0)
				continue;
			free(target->io);
			free(target->engine);
			free(target->engine_reason);
			free(target->file_system);
			target->extent_bytes = from->extent_bytes;
			target->io = mem_text(target_io_names[from->io]);
			target->ram = from->ram;
			target->no_topology = from->no_topology;
			target->engine = mem_text(from->engine);
			target->engine_reason = mem_text(from->engine_reason);
			target->file_system = mem_text(from->file_system);
		}
	}
	for (uint32_t i = 0; i < ready->notes_count; i++) {
		struct name *note = RECORD_APPEND(entry->notes, entry->notes_count);
		note->name = mem_text(ready->notes[i].name);
	}
	entry->buffer_bytes = ready->buffer_bytes;
	entry->spool_bytes = ready->spool_bytes;
}

static void fill_workers(struct filling *filling, struct result_phase_host *entry)
{
	const struct done *done = &filling->host->done;

	for (uint32_t i = 0; i < done->workers_count; i++) {
		const struct done_worker *from = &done->workers[i];
		struct result_worker *worker = RECORD_APPEND(entry->workers, entry->workers_count);
		worker->target = mem_text(from->target);
		worker->worker = from->worker;
		worker->first_submit_ns = since_run(filling, from->first_submit_ns);
		worker->last_completion_ns = since_run(filling, from->last_completion_ns);
		worker->operations = from->operations;
		worker->cpus = mem_text(from->cpus);
	}
}

/* The timeline of each target adds up to its separately counted totals, or the host's figures are
 * not to be believed. */
static const char *check_sums(struct result_phase *phase, const struct series *series,
			      const struct result_phase_host *entry)
{
	for (uint32_t t = 0; t < entry->targets_count; t++) {
		const struct result_target *target = &entry->targets[t];
		struct result_target sums = {0};
		fill_from_series(phase, &series[t], &sums);
		if (sums.bytes_read != target->bytes_read ||
		    sums.bytes_written != target->bytes_written ||
		    sums.operations != target->operations || sums.errors != target->errors ||
		    sums.ramp_bytes != target->ramp_bytes)
			return "its timeline does not add up to its totals: neither can be "
			       "believed";
	}
	return NULL;
}

/* An idle phase has a timeline as well: of nothing, until its time was over. */
static void fill_idle(struct collect *collect, struct series *series)
{
	const struct result_phase *phase = current(collect);
	uint64_t length_ns = phase->ramp_ns + collect->phase->runtime;

	if (collect->phase->op == PHASE_OP_IDLE && length_ns >= phase->bucket_ns)
		bucket_at(series, (uint32_t)(length_ns / phase->bucket_ns) - 1);
}

static void fill_done(struct filling *filling, uint32_t h)
{
	struct collect *collect = filling->collect;
	struct result_phase *phase = current(collect);
	struct result_phase_host *entry = &phase->hosts[h];
	struct phase_series *series = current_series(collect);
	const struct done *done = &filling->host->done;
	const char *state = done_state_names[done->state], *text = done->text;
	const char *code = done->code;

	if (done->targets_count == entry->targets_count) {
		for (uint32_t t = 0; t < entry->targets_count; t++) {
			fill_target(filling, &done->targets[t], &entry->targets[t]);
			fill_latencies(&done->targets[t], series, h, t, entry);
			fill_idle(collect, &series->series[h][t]);
		}
		const char *wrong = check_sums(phase, series->series[h], entry);
		if (wrong) {
			state = done_state_names[DONE_BROKEN];
			text = wrong;
			code = NULL;
		}
	} else {
		state = done_state_names[DONE_BROKEN];
		text = "it reported other targets than it was asked for";
		code = NULL;
	}
	entry->state = mem_text(state);
	entry->code = mem_text(code);
	entry->text = mem_text(text);
	entry->cpu_ns = done->cpu_ns;
	entry->frozen_ns = done->frozen_ns;
	struct host_instant from;
	entry->frozen_from_ns = phase_edges_since_run(&filling->edges, &filling->clock,
						      filling->host, done->frozen_from_ns, &from);
	entry->start_spin_ns = done->start_spin_ns;
	for (uint32_t i = 0; i < done->start_refusals_count; i++) {
		struct name *name =
			RECORD_APPEND(entry->start_refusals, entry->start_refusals_count);
		name->name = mem_text(done->start_refusals[i].name);
	}
	fill_workers(filling, entry);
}

static void fill_undone(struct collect *collect, const struct fleet_host *host, uint32_t h)
{
	struct result_phase *phase = current(collect);
	struct result_phase_host *entry = &phase->hosts[h];

	for (uint32_t t = 0; t < entry->targets_count; t++)
		fill_from_series(phase, &current_series(collect)->series[h][t], &entry->targets[t]);
	if (host->status == FLEET_STATUS_LOST) {
		entry->state = mem_text("lost");
		entry->text = mem_text(host->why);
		entry->lost_at_ns = host->lost_ns - collect->run_start_ns;
	} else if (host->is_failed && !(host->is_stopped && host->failed.kind == FAILED_BROKEN)) {
		entry->state = mem_text(host->failed.kind == FAILED_REFUSED ? "refused" : "broken");
		entry->code = mem_text(host->failed.code);
		entry->text = mem_text(host->failed.text);
	} else {
		entry->state = mem_text("aborted");
		entry->text = mem_text("the phase was not run");
	}
}

/* As many edges as the longest of the host's targets has buckets. */
static void fill_edges(struct filling *filling, uint32_t h)
{
	struct result_phase *phase = current(filling->collect);
	struct phase_series *series = current_series(filling->collect);
	uint32_t count = 0;

	for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
		if (series->series[h][t].count > count)
			count = series->series[h][t].count;
	series->edges_count[h] = count;
	series->edges[h] = phase_edges_compute(&filling->edges, &filling->clock, filling->host,
					       count, &phase->hosts[h].edges);
	phase->hosts[h].edges.realigned =
		realign_host(phase, series->series[h], phase->hosts[h].targets_count,
			     &series->edges[h], &series->edges_count[h]);
}

/* Answers the bound of the host's instants. */
static uint64_t fill_host(struct collect *collect, const struct fleet *fleet,
			  const struct fleet_host *host, uint32_t h)
{
	struct result_phase *phase = current(collect);
	struct filling filling = {.collect = collect,
				  .fleet = fleet,
				  .host = host,
				  .edges = {.phase = phase,
					    .start_ns = collect->start_ns,
					    .run_start_ns = collect->run_start_ns}};

	host_clock_init(&filling.clock, fleet, host,
			collect->start_ns > HOST_CLOCK_BEFORE_NS
				? collect->start_ns - HOST_CLOCK_BEFORE_NS
				: 0);
	if (host->is_ready)
		fill_ready(&host->ready, &phase->hosts[h]);
	if (host->is_done)
		fill_done(&filling, h);
	else
		fill_undone(collect, host, h);
	if (host->is_started)
		fill_edges(&filling, h);
	phase->hosts[h].silence_ns = host->silence_ns;
	host_clock_release(&filling.clock);
	return filling.bound_ns;
}

/* Agents count what they give back as written: both go the same way. */
static void tell_trimmed(struct result_phase_host *entry)
{
	for (uint32_t t = 0; t < entry->targets_count; t++) {
		struct result_target *target = &entry->targets[t];
		target->bytes_trimmed = target->bytes_written;
		target->bytes_written = 0;
	}
}

void collect_end(struct collect *collect, struct fleet *fleet)
{
	struct result_phase *phase = current(collect);
	const struct done_device **counters = mem_new(fleet->count, sizeof(*counters));
	uint32_t *counts = mem_new(fleet->count, sizeof(*counts));
	uint64_t *bounds = mem_new(fleet->count, sizeof(*bounds));

	collect->is_ending = true;
	phase->start_ns = collect->start_ns ? collect->start_ns - collect->run_start_ns : 0;
	for (uint32_t i = 0; i < fleet->count; i++) {
		const struct fleet_host *host = &fleet->hosts[i];
		uint32_t h = collect->phase_host[i];
		if (h == UINT32_MAX)
			continue;
		bounds[h] = fill_host(collect, fleet, host, h);
		if (collect->phase->op == PHASE_OP_TRIM)
			tell_trimmed(&phase->hosts[h]);
		counters[h] = host->done.devices;
		counts[h] = host->done.devices_count;
		if (fleet->channel)
			fleet_pump(fleet, 0);
	}
	phase_edges_skew(phase, bounds);
	free(bounds);
	devices_merge(collect->result, phase, counters, counts);
	window_compute(phase, current_series(collect), phase_is_timed(collect->phase));
	free(counters);
	free(counts);
}
