/* Totals, spread evenly over the buckets of their time. */
#include <math.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/foreign_inside.h"

#define BUCKETS_AIM 1000 /* of a phase of which only totals are known */

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
	amount.operations = foreign_whole_operations(amount.operations);
	for (uint64_t b = first; b < end && b < FOREIGN_BUCKETS_MOST; b++) {
		double from = (double)b * width_s;
		double to = b + 1 == end ? times->end_s : (double)(b + 1) * width_s;
		struct amount part = {
			flow(amount.bytes, times, to) - flow(amount.bytes, times, from),
			flow(amount.operations, times, to) - flow(amount.operations, times, from)};
		foreign_put(build, foreign_bucket_at(series, b), part);
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
	struct amount amount = foreign_amount_of(build, t->bytes, t->bytes_per_s, t->operations,
						 t->operations_per_s, times.end_s - times.start_s);

	build->guessed += times.is_guessed;
	if (t->worker)
		add_worker(build, host, t, &times, amount.operations);
	foreign_compare_values(build, host->host, t, times.end_s - times.start_s);
	struct series *series = &build->series->series[h][index];
	if (!build->measured->samples_count)
		spread(build, series, &times, amount);
	if (series->count && build->errors_in_totals && !isnan(t->errors))
		series->buckets[series->count - 1].errors += (uint64_t)t->errors;
	if (build->measured->samples_count)
		return; /* the timeline has all the rest */
	foreign_extend(&host->targets[index],
		       build->phase->start_ns + (uint64_t)(times.start_s * 1e9),
		       build->phase->start_ns + (uint64_t)(times.end_s * 1e9));
}

void foreign_add_totals(struct build *build)
{
	const struct foreign_measured *m = build->measured;

	for (uint32_t i = 0; i < m->moved_count; i++) {
		uint32_t h = foreign_host_index(build, m->moved[i].host);
		add_total(build, &m->moved[i], h);
	}
}

/* Of totals alone: about a thousand buckets, of a round width. */
uint64_t foreign_even_width(const struct build *build)
{
	double longest = 0;
	uint64_t width_ns = 10 * NS_PER_MS;

	for (uint32_t i = 0; i < build->measured->moved_count; i++)
		longest = fmax(longest, times_of(build, &build->measured->moved[i]).end_s);
	while ((double)width_ns / 1e9 * BUCKETS_AIM < longest)
		width_ns *= 10;
	return width_ns;
}
