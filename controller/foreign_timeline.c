/* Lines of a timeline, each over its time, into the buckets of their host and target. */
#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/foreign_inside.h"

#define AROUND   16   /* lines before and behind one that tell how far apart they are */
#define HOLE     1.75 /* times as far apart as those: some are missing between */
#define OFF_MOST 0.1  /* of a bucket: lines that lie no further beside have one each */

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_of(uint64_t *times, uint32_t count)
{
	qsort(times, count, sizeof(*times), compare_times);
	return times[count / 2];
}

/* ---- in order ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct foreign_line *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

void foreign_sort_lines(struct build *build)
{
	const struct foreign_measured *m = build->measured;

	build->lines = mem_new(m->samples_count, sizeof(*build->lines));
	for (uint32_t i = 0; i < m->samples_count; i++) {
		const struct foreign_sample *s = &m->samples[i];
		uint32_t h = foreign_host_index(build, s->host);
		build->lines[i] = (struct foreign_line){
			.series = h * build->asked->targets_count +
				  foreign_target_index(&build->phase->hosts[h], s->target),
			.sample = i,
			.at_ns = (uint64_t)llround((s->time_s - build->origin_s) * 1e9),
		};
	}
	if (m->samples_count)
		qsort(build->lines, m->samples_count, sizeof(*build->lines), compare_lines);
}

uint64_t foreign_line_width(const struct build *build)
{
	const struct foreign_line *lines = build->lines;
	uint32_t count = build->measured->samples_count, steps_count = 0;
	uint64_t *steps = mem_new(count, sizeof(*steps)), width = NS_PER_S;

	for (uint32_t i = 1; i < count; i++)
		if (lines[i].series == lines[i - 1].series && lines[i].at_ns > lines[i - 1].at_ns)
			steps[steps_count++] = lines[i].at_ns - lines[i - 1].at_ns;
	if (steps_count)
		width = median_of(steps, steps_count);
	free(steps);
	return width;
}

/* ---- how long each lasts ---- */

/* The lines of one host and target in order of time. */
struct told {
	struct foreign_line *lines;
	uint32_t count;
	uint64_t *steps;    /* from each to the next: one less than lines */
	uint64_t length_ns; /* of a line behind which none comes */
	double operations;  /* so far: what a line has of one that is not whole goes to the next */
};

/* Where each line lies close to a bucket of its own, or to every second, it is that bucket: lines
 * come a little early or late, and those of a host between those of the others. */
static void align(const struct build *build, struct told *told)
{
	uint64_t width = build->phase->bucket_ns, first_ns = told->lines[0].at_ns, last = 0;
	uint64_t base = (first_ns + width / 2) / width;

	for (uint32_t i = 0; i < told->count; i++) {
		double at = (double)(told->lines[i].at_ns - first_ns) / (double)width;
		if (fabs(at - round(at)) > OFF_MOST || (i && (uint64_t)round(at) == last))
			return;
		last = (uint64_t)round(at);
	}
	for (uint32_t i = 0; i < told->count; i++) {
		uint64_t off_ns = told->lines[i].at_ns - first_ns;
		told->lines[i].at_ns = (base + (off_ns + width / 2) / width) * width;
	}
}

static void find_steps(const struct build *build, struct told *told)
{
	uint64_t *sorted = mem_new(told->count, sizeof(*sorted));

	for (uint32_t i = 0; i + 1 < told->count; i++)
		sorted[i] = told->steps[i] = told->lines[i + 1].at_ns - told->lines[i].at_ns;
	told->length_ns = build->measured->bucket || told->count == 1
				  ? build->phase->bucket_ns
				  : median_of(sorted, told->count - 1);
	free(sorted);
}

/* Of steps [from, to) those that are much shorter; adds them to `shorter`. False: they are not most
 * of them. */
static bool add_shorter(const struct told *told, uint32_t from, uint32_t to, double most,
			uint64_t *shorter, uint32_t *count)
{
	uint32_t before = *count;

	for (uint32_t i = from; i < to; i++)
		if ((double)told->steps[i] < most)
			shorter[(*count)++] = told->steps[i];
	return 3 * (*count - before) >= 2 * (to - from);
}

/* How long a line lasts behind which some are missing: lines lie evenly before and behind, and the
 * next is much further away. 0: none are; it lasts to the next. */
static uint64_t length_before_hole(const struct build *build, const struct told *told, uint32_t i)
{
	uint32_t from = i < AROUND ? 0 : i - AROUND, steps = told->count - 1, count = 0;
	uint32_t to = steps - i > AROUND ? i + 1 + AROUND : steps;
	double most = (double)told->steps[i] / HOLE;
	uint64_t shorter[2 * AROUND];

	if (build->measured->bucket)
		return (double)told->length_ns < most ? told->length_ns : 0;
	if (!add_shorter(told, from, i, most, shorter, &count) ||
	    !add_shorter(told, i + 1, to, most, shorter, &count) || count < 2)
		return 0;
	return median_of(shorter, count);
}

/* ---- into buckets ---- */

/* What of `amount` was done until `part` of its time had gone by. */
static struct amount done_until(const struct told *told, struct amount amount, double part)
{
	return (struct amount){
		.bytes = floor(amount.bytes * part),
		.operations = foreign_whole_operations(told->operations + amount.operations * part),
	};
}

/* Evenly, and nothing is lost or added. */
static void spread(const struct build *build, struct series *series, const struct told *told,
		   struct amount amount, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t width = build->phase->bucket_ns, length_ns = to_ns - from_ns;
	struct amount before = done_until(told, amount, 0);

	for (uint64_t b = from_ns / width; b * width < to_ns; b++) {
		uint64_t end_ns = (b + 1) * width < to_ns ? (b + 1) * width : to_ns;
		struct amount until =
			done_until(told, amount, (double)(end_ns - from_ns) / (double)length_ns);
		foreign_put(build, foreign_bucket_at(series, b),
			    (struct amount){until.bytes - before.bytes,
					    until.operations - before.operations});
		before = until;
	}
}

static bool is_too_far(const struct build *build, uint64_t at_ns)
{
	return at_ns / build->phase->bucket_ns >= FOREIGN_BUCKETS_MOST;
}

static void add_line(struct build *build, struct told *told, uint32_t i, uint64_t length_ns)
{
	const struct foreign_line *line = &told->lines[i];
	const struct foreign_sample *s = &build->measured->samples[line->sample];
	uint32_t targets = build->asked->targets_count;
	uint32_t h = line->series / targets, t = line->series % targets;
	uint64_t to_ns = line->at_ns + (length_ns ? length_ns : 1);
	struct series *series = &build->series->series[h][t];

	if (is_too_far(build, to_ns - 1)) {
		build->dropped++;
		return;
	}
	struct amount amount = foreign_amount_of(build, s->bytes, s->bytes_per_s, s->operations,
						 s->operations_per_s, (double)length_ns / 1e9);
	amount.bytes = round(amount.bytes);
	spread(build, series, told, amount, line->at_ns, to_ns);
	told->operations += amount.operations;
	if (!build->errors_in_totals && !isnan(s->errors))
		foreign_bucket_at(series, line->at_ns / build->phase->bucket_ns)->errors +=
			(uint64_t)s->errors;
	foreign_extend(&build->phase->hosts[h].targets[t], build->phase->start_ns + line->at_ns,
		       build->phase->start_ns + to_ns);
}

static void add_series(struct build *build, struct told *told)
{
	align(build, told);
	find_steps(build, told);
	for (uint32_t i = 0; i < told->count; i++) {
		bool is_last = i + 1 == told->count;
		uint64_t step_ns = is_last ? told->length_ns : told->steps[i];
		uint64_t length_ns = is_last ? 0 : length_before_hole(build, told, i);
		add_line(build, told, i, length_ns ? length_ns : step_ns);
		if (length_ns && !is_too_far(build, told->lines[i + 1].at_ns))
			build->missing += (step_ns + length_ns / 2) / length_ns - 1;
	}
}

void foreign_add_samples(struct build *build)
{
	uint32_t count = build->measured->samples_count, end;
	uint64_t *steps = mem_new(count, sizeof(*steps));

	for (uint32_t first = 0; first < count; first = end) {
		for (end = first + 1;
		     end < count && build->lines[end].series == build->lines[first].series;)
			end++;
		add_series(build, &(struct told){.lines = &build->lines[first],
						 .count = end - first,
						 .steps = steps});
	}
	free(steps);
}
