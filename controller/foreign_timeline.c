/* Lines of a timeline, into the buckets of their host and target. */
#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "controller/foreign_inside.h"

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

	for (uint32_t i = 0; i < m->samples_count; i++) {
		uint32_t h = foreign_host_index(build, m->samples[i].host);
		lines[i] = (struct line){series_index(build, h, m->samples[i].target),
					 m->samples[i].time_s};
	}
	qsort(lines, m->samples_count, sizeof(*lines), compare_lines);
	return lines;
}

/* The median of what lies between two lines of one series: how long a line lasts. Those of another
 * host need not begin with them. */
double foreign_line_width(const struct build *build)
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
	struct series_bucket *bucket = foreign_bucket_at(&build->series->series[h][t], index);
	struct amount amount = foreign_amount_of(build, s->bytes, s->bytes_per_s, s->operations,
						 s->operations_per_s, width_s);
	double before = foreign_whole_operations(told->operations);
	told->operations += amount.operations;
	amount.operations = foreign_whole_operations(told->operations) - before;
	foreign_put(build, bucket, amount);
	if (!build->errors_in_totals && !isnan(s->errors))
		bucket->errors += (uint64_t)s->errors;
	foreign_extend(&phase->hosts[h].targets[t], from_ns, from_ns + phase->bucket_ns);
}

static uint64_t missing_of(const struct build *build, const struct told *told)
{
	if (!told->lines)
		return 0;
	uint64_t first = bucket_of(build, told->first_s, told->first_s);
	uint64_t buckets = told->last - first + 1;

	return buckets > told->lines ? buckets - told->lines : 0;
}

void foreign_add_samples(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	uint32_t count = build->phase->hosts_count * build->asked->targets_count;
	struct told *told = mem_new(count, sizeof(*told));

	for (uint32_t s = 0; s < count; s++)
		told[s].first_s = INFINITY;
	for (uint32_t i = 0; i < m->samples_count; i++) {
		uint32_t h = foreign_host_index(build, m->samples[i].host);
		double *first_s = &told[series_index(build, h, m->samples[i].target)].first_s;
		*first_s = fmin(*first_s, m->samples[i].time_s);
	}
	for (uint32_t i = 0; i < m->samples_count; i++) {
		uint32_t h = foreign_host_index(build, m->samples[i].host);
		add_sample(build, &m->samples[i], h,
			   &told[series_index(build, h, m->samples[i].target)]);
	}
	for (uint32_t s = 0; s < count; s++)
		build->missing += missing_of(build, &told[s]);
	free(told);
}
