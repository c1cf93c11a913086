#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/analysis/window.h"
#include "controller/foreign.h"
#include "controller/foreign_inside.h"

#define WIDTH_LEAST_NS 1000

static const char *io_of(const struct build *build)
{
	if (!build->foreign->direct_told[build->asked - build->foreign->phases])
		return "not told";
	return build->asked->direct == PHASE_DIRECT_FALSE ? "buffered" : "direct";
}

static void add_targets(struct build *build)
{
	const struct phase *asked = build->asked;

	for (uint32_t h = 0; h < build->phase->hosts_count; h++) {
		struct result_phase_host *host = &build->phase->hosts[h];
		for (uint32_t t = 0; t < asked->targets_count; t++) {
			struct result_target *target =
				RECORD_APPEND(host->targets, host->targets_count);
			target->target = mem_text(asked->targets[t].name);
			target->io = mem_text(io_of(build));
			target->engine = mem_text(FOREIGN_ENGINE);
			target->throughput_bytes_per_s = target->iops = NAN;
			target->throughput_with_sync_bytes_per_s = NAN;
			target->latency_ns = (struct result_latency){NAN, NAN, NAN, NAN, NAN, 0};
		}
	}
}

/* ---- sums ---- */

static void sum_up(struct build *build)
{
	for (uint32_t h = 0; h < build->phase->hosts_count; h++) {
		struct result_phase_host *host = &build->phase->hosts[h];
		for (uint32_t t = 0; t < host->targets_count; t++) {
			struct result_target *target = &host->targets[t];
			const struct series *series = &build->series->series[h][t];
			for (uint32_t b = 0; b < series->count; b++) {
				if (b * build->phase->bucket_ns < build->phase->ramp_ns) {
					target->ramp_bytes += series->buckets[b].bytes_read +
							      series->buckets[b].bytes_written;
					continue;
				}
				target->bytes_read += series->buckets[b].bytes_read;
				target->bytes_written += series->buckets[b].bytes_written;
				target->operations += series->buckets[b].operations;
				target->errors += series->buckets[b].errors;
			}
			target->bytes = target->bytes_read + target->bytes_written;
			target->extent_bytes = build->extents[t];
			window_target_rates(build->phase, target);
		}
	}
}

/* How much of the target a phase could touch: its own size in this file, or the test files'. */
static void find_extents(struct build *build)
{
	const struct foreign *foreign = build->foreign;

	build->extents = mem_new(build->asked->targets_count, sizeof(*build->extents));
	for (uint32_t t = 0; t < build->asked->targets_count; t++) {
		const char *name = build->asked->targets[t].name, *size = build->asked->size;
		for (uint32_t k = 0; k < foreign->targets_count; k++)
			if (text_is(foreign->targets[k].name, name) && foreign->targets[k].size)
				size = foreign->targets[k].size;
		struct known known = known_of(build->result, NULL);
		const struct fact_storage *storage = known_storage(&known, name);
		build->extents[t] = storage && storage->file_size ? storage->file_size
								  : plan_size_bytes(size, 0);
	}
}

/* ---- a phase ---- */

static double origin_of(const struct foreign_measured *m)
{
	double origin = INFINITY;

	for (uint32_t i = 0; i < m->samples_count; i++)
		origin = fmin(origin, m->samples[i].time_s);
	for (uint32_t i = 0; i < m->moved_count; i++)
		if (!isnan(m->moved[i].start_s))
			origin = fmin(origin, m->moved[i].start_s);
	return isfinite(origin) ? origin : 0;
}

static uint64_t bucket_width_ns(const struct build *build)
{
	const struct foreign_measured *m = build->measured;

	if (m->bucket)
		return m->bucket;
	if (!m->samples_count)
		return foreign_even_width(build);
	uint64_t width = foreign_line_width(build);
	return width > WIDTH_LEAST_NS ? width : WIDTH_LEAST_NS;
}

/* A timeline has the ramp that was asked for at its beginning; totals are told without it. */
static uint64_t ramp_ns(const struct build *build)
{
	uint64_t width = build->phase->bucket_ns, ramp = build->asked->ramp;

	return build->measured->samples_count ? (ramp + width - 1) / width * width : 0;
}

static void make_series(struct build *build)
{
	struct phase_series *series = build->series;
	uint32_t hosts = build->phase->hosts_count;

	*series = (struct phase_series){
		.series = mem_new(hosts, sizeof(*series->series)),
		.latency = mem_new(hosts, sizeof(*series->latency)),
	};
	for (uint32_t h = 0; h < hosts; h++) {
		uint32_t targets = build->phase->hosts[h].targets_count;
		series->series[h] = mem_new(targets, sizeof(**series->series));
		series->latency[h] = mem_new(targets, sizeof(**series->latency));
	}
}

static uint64_t end_of(const struct result_phase *phase)
{
	uint64_t end_ns = phase->start_ns;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
			if (phase->hosts[h].targets[t].last_io_ns > end_ns)
				end_ns = phase->hosts[h].targets[t].last_io_ns;
	return end_ns;
}

static bool are_starts_told(const struct foreign_measured *m)
{
	for (uint32_t i = 0; i < m->moved_count; i++)
		if (isnan(m->moved[i].start_s))
			return false;
	return m->moved_count && !m->samples_count;
}

/* How closely together targets began and ended, where it was told of each. */
static void find_skews(const struct foreign_measured *m, struct result_phase *phase)
{
	uint64_t first = UINT64_MAX, start = 0, stop = UINT64_MAX, last = 0;

	phase->start_skew_bound_ns = phase->stop_skew_bound_ns = UINT64_MAX;
	if (!are_starts_told(m))
		return;
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			const struct result_target *target = &phase->hosts[h].targets[t];
			if (!target->last_io_ns)
				continue;
			first = target->first_io_ns < first ? target->first_io_ns : first;
			start = target->first_io_ns > start ? target->first_io_ns : start;
			stop = target->last_io_ns < stop ? target->last_io_ns : stop;
			last = target->last_io_ns > last ? target->last_io_ns : last;
		}
	phase->start_skew_ns = start - first;
	phase->stop_skew_ns = last - stop;
	phase->start_skew_bound_ns = phase->stop_skew_bound_ns = 0;
}

static const struct phase *asked_of(const struct foreign *foreign, const char *name)
{
	for (uint32_t p = 0; p < foreign->phases_count; p++)
		if (text_is(foreign->phases[p].name, name))
			return &foreign->phases[p];
	return NULL;
}

static bool has_figures(const struct foreign_measured *m)
{
	return m->samples_count || m->moved_count || m->clock_count;
}

static bool are_complete(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (!window_host_is_complete(&phase->hosts[h]))
			return false;
	return true;
}

static uint64_t build_phase(struct build *build, uint64_t start_ns)
{
	const struct foreign_measured *m = build->measured;
	struct result_phase *phase = build->phase;

	*phase = (struct result_phase){.name = mem_text(m->phase),
				       .trial = m->trial,
				       .op = mem_text(phase_op_names[build->asked->op]),
				       .controller = mem_text(m->controller),
				       .start_ns = start_ns};
	build->origin_s = origin_of(m);
	foreign_add_hosts(build);
	if (has_figures(m))
		add_targets(build);
	foreign_sort_lines(build);
	phase->bucket_ns = bucket_width_ns(build);
	phase->ramp_ns = ramp_ns(build);
	make_series(build);
	find_extents(build);
	foreign_find_errors(build);
	foreign_add_samples(build);
	foreign_add_totals(build);
	foreign_add_ticks(build);
	sum_up(build);
	find_skews(m, phase);
	foreign_find_states(build);
	foreign_add_counters(build);
	/* Of a phase of which only heartbeats are known there is no figure that could be too short.
	 */
	if (has_figures(m) || !are_complete(phase))
		window_compute(phase, build->series, !build->asked->size);
	free(build->lines);
	free(build->extents);
	name_set_release(&build->hosts);
	return end_of(phase);
}

/* ---- the whole ---- */

static void build_hosts(struct foreign *foreign, struct result *result)
{
	for (uint32_t h = 0; h < foreign->hosts_count; h++) {
		struct foreign_host *from = &foreign->hosts[h];
		struct result_host *into = RECORD_APPEND(result->hosts, result->hosts_count);
		*into = (struct result_host){
			.host = mem_text(from->host),
			.os = from->os,
			.memory_bytes = from->memory,
			.arc_most_bytes = from->arc_most,
			.labels = from->labels,
			.labels_count = from->labels_count,
		};
		from->os = NULL;
		from->labels = NULL;
		from->labels_count = 0;
	}
}

/* The plan that would have asked for it; takes its parts. */
static void build_plan(struct foreign *foreign, struct result *result)
{
	struct plan *plan = result->plan = mem_new(1, sizeof(*plan));

	*plan = (struct plan){
		.name = mem_text(foreign->name),
		.fleet = {.suspect_after = foreign->suspect_after,
			  .dead_after = foreign->dead_after},
		.targets = foreign->targets,
		.targets_count = foreign->targets_count,
		.phases = foreign->phases,
		.phases_count = foreign->phases_count,
		.gates = foreign->gates,
		.gates_count = foreign->gates_count,
		.repeat = 1,
		.bucket = 100 * NS_PER_MS,
		.min_window = foreign->min_window,
		.io_timeout = 60 * NS_PER_S,
	};
	foreign->targets = NULL;
	foreign->phases = NULL;
	foreign->gates = NULL;
	foreign->targets_count = foreign->phases_count = foreign->gates_count = 0;
}

static void build_facts(struct foreign *foreign, struct result *result)
{
	struct facts *facts = result->facts = mem_new(1, sizeof(*facts));

	*facts = (struct facts){
		.storage = foreign->storage,
		.storage_count = foreign->storage_count,
		.links = foreign->links,
		.links_count = foreign->links_count,
		.sweeps = foreign->sweeps,
		.sweeps_count = foreign->sweeps_count,
	};
	foreign->storage = NULL;
	foreign->links = NULL;
	foreign->sweeps = NULL;
	foreign->storage_count = foreign->links_count = foreign->sweeps_count = 0;
}

void foreign_build(struct foreign *foreign, struct result *result, struct result_series *series)
{
	uint64_t start_ns = NS_PER_S; /* 0 would be no I/O */

	*result = (struct result){.schema = mem_text(RESULT_SCHEMA),
				  .run = mem_text("foreign"),
				  .min_window_ns = foreign->min_window};
	build_hosts(foreign, result);
	build_facts(foreign, result);
	series->phases = mem_new(foreign->measured_count, sizeof(*series->phases));
	for (uint32_t m = 0; m < foreign->measured_count; m++) {
		struct build build = {
			.foreign = foreign,
			.measured = &foreign->measured[m],
			.asked = asked_of(foreign, foreign->measured[m].phase),
			.result = result,
			.phase = RECORD_APPEND(result->phases, result->phases_count),
			.series = &series->phases[m],
		};
		start_ns = build_phase(&build, start_ns) + NS_PER_S;
		foreign_find_gaps(&build);
	}
	build_plan(foreign, result);
}

void foreign_result_release(struct result *result, struct result_series *series)
{
	for (uint32_t p = 0; series->phases && p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		struct phase_series *own = &series->phases[p];
		for (uint32_t h = 0; own->series && h < phase->hosts_count; h++) {
			for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
				free(own->series[h][t].buckets);
			free(own->series[h]);
			free(own->latency[h]);
		}
		free(own->series);
		free(own->latency);
	}
	free(series->phases);
	series->phases = NULL;
	record_release(&result_table, result);
}
