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

#define BUCKETS_AIM 1000 /* of a phase of which only totals are known */

/* ---- hosts ---- */

uint32_t foreign_host_index(const struct result_phase *phase, const char *name)
{
	static const uint32_t only = 0;
	uint32_t count = phase->hosts_count;

	if (!name)
		return only;
	for (uint32_t h = 0; h < count; h++)
		if (text_is(phase->hosts[h].host, name))
			return h;
	return UINT32_MAX;
}

/* Rows of a host stand together, or hosts take turns: the next one is nearly always near. */
static uint32_t next_host(const struct result_phase *phase, const char *name, uint32_t last)
{
	for (uint32_t step = 0; name && step < 2; step++) {
		uint32_t h = (last + step) % phase->hosts_count;
		if (text_is(phase->hosts[h].host, name))
			return h;
	}
	return foreign_host_index(phase, name);
}

uint32_t foreign_target_index(const struct result_phase_host *host, const char *name)
{
	for (uint32_t t = 0; name && t < host->targets_count; t++)
		if (text_is(host->targets[t].target, name))
			return t;
	return 0;
}

static void add_host(struct result_phase *phase, const char *name)
{
	if (phase->hosts_count && next_host(phase, name, phase->hosts_count - 1) != UINT32_MAX)
		return;
	struct result_phase_host *host = RECORD_APPEND(phase->hosts, phase->hosts_count);
	host->host = mem_text(text_or(name, "host"));
	host->state = mem_text("complete");
}

static void add_hosts(const struct foreign *foreign, const struct foreign_measured *m,
		      struct result_phase *phase)
{
	for (uint32_t h = 0; h < foreign->hosts_count; h++)
		add_host(phase, foreign->hosts[h].host);
	if (foreign->hosts_count)
		return;
	for (uint32_t i = 0; i < m->samples_count; i++)
		add_host(phase, m->samples[i].host);
	for (uint32_t i = 0; i < m->moved_count; i++)
		add_host(phase, m->moved[i].host);
	for (uint32_t i = 0; i < m->clock_count; i++)
		add_host(phase, m->clock[i].host);
	for (uint32_t i = 0; i < m->beats_count; i++)
		add_host(phase, m->beats[i].host);
	if (!phase->hosts_count)
		add_host(phase, NULL);
}

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
			target->engine = mem_text("foreign");
			target->throughput_bytes_per_s = target->iops = NAN;
			target->throughput_with_sync_bytes_per_s = NAN;
		}
	}
}

/* ---- amounts ---- */

struct amount {
	double bytes, operations;
};

/* Of what was told the most direct; `seconds` is how long it went on. */
static struct amount amount_of(const struct build *build, double bytes, double bytes_per_s,
			       double operations, double operations_per_s, double seconds)
{
	double block = (double)build->asked->block_size;
	struct amount amount = {.bytes = bytes, .operations = operations};

	if (isnan(amount.operations))
		amount.operations = operations_per_s * seconds;
	if (isnan(amount.bytes))
		amount.bytes = bytes_per_s * seconds;
	if (isnan(amount.bytes))
		amount.bytes = amount.operations * block;
	if (isnan(amount.bytes))
		amount.bytes = 0;
	if (isnan(amount.operations))
		amount.operations = amount.bytes / block;
	return amount;
}

/* A part of a block that moved was an operation. */
static double whole_operations(double operations)
{
	return ceil(operations - 1e-6);
}

static void put(const struct build *build, struct series_bucket *bucket, struct amount amount)
{
	uint64_t bytes = (uint64_t)llround(amount.bytes), reads = bytes;

	if (build->asked->op == PHASE_OP_WRITE || build->asked->op == PHASE_OP_FILL)
		reads = 0;
	else if (build->asked->op == PHASE_OP_MIXED)
		reads = bytes / 100 * build->asked->read_percent;
	bucket->bytes_read += reads;
	bucket->bytes_written += bytes - reads;
	bucket->operations += (uint64_t)llround(amount.operations);
}

/* What is not told of one row is not known of the whole. */
static void add_errors(const struct build *build, struct series_bucket *bucket, double errors)
{
	if (isnan(errors))
		build->phase->errors_unknown = true;
	else
		bucket->errors += (uint64_t)errors;
}

static struct series_bucket *bucket_at(struct series *series, uint64_t index)
{
	if (index >= series->count) {
		size_t room = 64;
		while (room <= index)
			room *= 2;
		series->buckets = mem_resize(series->buckets, room, sizeof(*series->buckets));
		memset(&series->buckets[series->count], 0,
		       (index + 1 - series->count) * sizeof(*series->buckets));
		series->count = (uint32_t)index + 1;
	}
	return &series->buckets[index];
}

/* ---- a timeline ---- */

static int compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of a series, a target of a host: all hosts have the same. */
static uint32_t series_index(const struct build *build, uint32_t host, const char *target)
{
	return host * build->asked->targets_count +
	       foreign_target_index(&build->phase->hosts[host], target);
}

struct line {
	uint32_t series;
	double time_s;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return compare_reals(&x->time_s, &y->time_s);
}

static struct line *lines_sorted(const struct build *build)
{
	const struct foreign_measured *m = build->measured;
	struct line *lines = mem_new(m->samples_count, sizeof(*lines));
	uint32_t h = 0;

	for (uint32_t i = 0; i < m->samples_count; i++) {
		h = next_host(build->phase, m->samples[i].host, h);
		lines[i] = (struct line){series_index(build, h, m->samples[i].target),
					 m->samples[i].time_s};
	}
	qsort(lines, m->samples_count, sizeof(*lines), compare_lines);
	return lines;
}

/* The median of what lies between two lines of one series: how long a line lasts. Those of another
 * host need not begin with them. */
static double width_of(const struct build *build)
{
	uint32_t count = build->measured->samples_count, steps_count = 0;
	struct line *lines = lines_sorted(build);
	double *steps = mem_new(count, sizeof(*steps)), width = 1;

	for (uint32_t i = 1; i < count; i++)
		if (lines[i].series == lines[i - 1].series && lines[i].time_s > lines[i - 1].time_s)
			steps[steps_count++] = lines[i].time_s - lines[i - 1].time_s;
	if (steps_count) {
		qsort(steps, steps_count, sizeof(*steps), compare_reals);
		width = steps[steps_count / 2];
	}
	free(steps);
	free(lines);
	return width;
}

static void extend(struct result_target *target, uint64_t from_ns, uint64_t to_ns)
{
	if (!target->last_io_ns || from_ns < target->first_io_ns)
		target->first_io_ns = from_ns;
	if (to_ns > target->last_io_ns)
		target->last_io_ns = to_ns;
}

/* From a series' own first line on, so that one that comes a little early or late, or a host whose
 * lines lie between the others', still has a bucket of its own. */
static uint64_t bucket_of(const struct build *build, double first_s, double time_s)
{
	double width_s = (double)build->phase->bucket_ns / 1e9;

	return (uint64_t)llround((first_s - build->origin_s) / width_s) +
	       (uint64_t)llround((time_s - first_s) / width_s);
}

/* Of a series, while its lines are read. */
struct told {
	double first_s;
	double operations; /* so far: what a line has of one that is not whole goes to the next */
	uint64_t lines, last; /* how many; the last bucket */
};

static void add_sample(struct build *build, const struct foreign_sample *s, uint32_t h,
		       struct told *told)
{
	struct result_phase *phase = build->phase;
	uint32_t t = foreign_target_index(&phase->hosts[h], s->target);
	double width_s = (double)phase->bucket_ns / 1e9;
	uint64_t index = bucket_of(build, told->first_s, s->time_s);
	uint64_t from_ns = phase->start_ns + index * phase->bucket_ns;

	if (index >= FOREIGN_BUCKETS_MOST) {
		build->dropped++;
		return;
	}
	told->lines++;
	told->last = index > told->last ? index : told->last;
	struct series_bucket *bucket = bucket_at(&build->series->series[h][t], index);
	struct amount amount = amount_of(build, s->bytes, s->bytes_per_s, s->operations,
					 s->operations_per_s, width_s);
	double before = whole_operations(told->operations);
	told->operations += amount.operations;
	amount.operations = whole_operations(told->operations) - before;
	put(build, bucket, amount);
	add_errors(build, bucket, s->errors);
	extend(&phase->hosts[h].targets[t], from_ns, from_ns + phase->bucket_ns);
}

static uint64_t missing_of(const struct build *build, const struct told *told)
{
	if (!told->lines)
		return 0;
	uint64_t first = bucket_of(build, told->first_s, told->first_s);
	uint64_t buckets = told->last - first + 1;

	return buckets > told->lines ? buckets - told->lines : 0;
}

static void add_samples(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	uint32_t count = build->phase->hosts_count * build->asked->targets_count, h = 0;
	struct told *told = mem_new(count, sizeof(*told));

	for (uint32_t s = 0; s < count; s++)
		told[s].first_s = INFINITY;
	for (uint32_t i = 0; i < m->samples_count; i++) {
		h = next_host(build->phase, m->samples[i].host, h);
		double *first_s = &told[series_index(build, h, m->samples[i].target)].first_s;
		*first_s = fmin(*first_s, m->samples[i].time_s);
	}
	for (uint32_t i = 0; i < m->samples_count; i++) {
		h = next_host(build->phase, m->samples[i].host, h);
		add_sample(build, &m->samples[i], h,
			   &told[series_index(build, h, m->samples[i].target)]);
	}
	for (uint32_t s = 0; s < count; s++)
		build->missing += missing_of(build, &told[s]);
	free(told);
}

/* ---- totals ---- */

/* When it was, in s since the origin. */
struct times {
	double start_s, end_s;
	bool is_guessed;
};

static struct times times_of(const struct build *build, const struct foreign_total *t)
{
	struct times times = {.start_s = 0, .end_s = t->seconds};
	double least = (double)build->foreign->min_window / 1e9;

	if (!isnan(t->end_s))
		return (struct times){t->start_s - build->origin_s, t->end_s - build->origin_s,
				      false};
	if (isnan(times.end_s) && t->bytes_per_s > 0)
		times.end_s = t->bytes / t->bytes_per_s;
	if (isnan(times.end_s) && t->operations_per_s > 0)
		times.end_s = t->operations / t->operations_per_s;
	if (isnan(times.end_s) && build->asked->runtime)
		times.end_s = (double)build->asked->runtime / 1e9;
	times.is_guessed = !(times.end_s > 0);
	if (times.is_guessed)
		times.end_s = fmax(least, 10);
	return times;
}

/* Of an even flow from one time to another, what had flowed at `at`. */
static double flow(double total, const struct times *times, double at)
{
	double part = (at - times->start_s) / (times->end_s - times->start_s);

	return floor(total * fmin(fmax(part, 0), 1));
}

static void spread(struct build *build, struct series *series, const struct times *times,
		   struct amount amount)
{
	double width_s = (double)build->phase->bucket_ns / 1e9;
	uint64_t first = (uint64_t)floor(times->start_s / width_s);
	uint64_t end = (uint64_t)ceil(times->end_s / width_s);

	amount.bytes = round(amount.bytes);
	amount.operations = whole_operations(amount.operations);
	for (uint64_t b = first; b < end && b < FOREIGN_BUCKETS_MOST; b++) {
		double from = (double)b * width_s,
		       to = b + 1 == end ? times->end_s : from + width_s;
		struct amount part = {
			flow(amount.bytes, times, to) - flow(amount.bytes, times, from),
			flow(amount.operations, times, to) - flow(amount.operations, times, from)};
		put(build, bucket_at(series, b), part);
	}
}

static void add_worker(struct build *build, struct result_phase_host *host,
		       const struct foreign_total *t, const struct times *times, double operations)
{
	struct result_worker *worker = RECORD_APPEND(host->workers, host->workers_count);
	uint64_t start_ns = build->phase->start_ns;

	*worker = (struct result_worker){
		.target = mem_text(t->target ? t->target : build->asked->targets[0].name),
		.worker = host->workers_count - 1,
		.first_submit_ns = start_ns + (uint64_t)(times->start_s * 1e9),
		.last_completion_ns = start_ns + (uint64_t)(times->end_s * 1e9),
		.operations = operations > 0 ? (uint64_t)operations : 1,
	};
}

static void add_total(struct build *build, const struct foreign_total *t, uint32_t h)
{
	struct result_phase_host *host = &build->phase->hosts[h];
	uint32_t index = foreign_target_index(host, t->target);
	struct times times = times_of(build, t);
	struct amount amount = amount_of(build, t->bytes, t->bytes_per_s, t->operations,
					 t->operations_per_s, times.end_s - times.start_s);

	build->guessed += times.is_guessed;
	if (t->worker)
		add_worker(build, host, t, &times, amount.operations);
	foreign_compare_values(build, host->host, t, times.end_s - times.start_s);
	if (build->measured->samples_count)
		return; /* the timeline has it all */
	struct series *series = &build->series->series[h][index];
	spread(build, series, &times, amount);
	if (series->count)
		add_errors(build, &series->buckets[series->count - 1], t->errors);
	extend(&host->targets[index], build->phase->start_ns + (uint64_t)(times.start_s * 1e9),
	       build->phase->start_ns + (uint64_t)(times.end_s * 1e9));
}

static void add_totals(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	uint32_t h = 0;

	for (uint32_t i = 0; i < m->moved_count; i++) {
		h = next_host(build->phase, m->moved[i].host, h);
		add_total(build, &m->moved[i], h);
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

/* Of totals alone: about a thousand buckets, of a round width. */
static uint64_t even_width_ns(const struct build *build)
{
	double longest = 0;
	uint64_t width_ns = 10 * NS_PER_MS;

	for (uint32_t i = 0; i < build->measured->moved_count; i++)
		longest = fmax(longest, times_of(build, &build->measured->moved[i]).end_s);
	while ((double)width_ns / 1e9 * BUCKETS_AIM < longest)
		width_ns *= 10;
	return width_ns;
}

static uint64_t bucket_width_ns(const struct build *build)
{
	const struct foreign_measured *m = build->measured;

	if (m->bucket)
		return m->bucket;
	if (m->samples_count)
		return (uint64_t)fmax(llround(width_of(build) * 1e9), 1000);
	return even_width_ns(build);
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
	add_hosts(build->foreign, m, phase);
	if (has_figures(m))
		add_targets(build);
	phase->bucket_ns = bucket_width_ns(build);
	phase->ramp_ns = ramp_ns(build);
	make_series(build);
	find_extents(build);
	add_samples(build);
	add_totals(build);
	foreign_add_ticks(build);
	sum_up(build);
	find_skews(m, phase);
	foreign_find_states(build);
	foreign_add_counters(build);
	/* Of a phase of which only heartbeats are known there is no figure that could be too short.
	 */
	if (has_figures(m) || !are_complete(phase))
		window_compute(phase, build->series, !build->asked->size);
	free(build->extents);
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
