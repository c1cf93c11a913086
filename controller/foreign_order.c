#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/stats.h"
#include "controller/foreign_inside.h"

/* Of the time that is told of a line: a few that come early are normal, all of them are not. */
#define EARLIEST      0.5
#define EARLIEST_MOST 0.9 /* of most of them */
#define LATEST        1.5 /* of all of them: no line lasts as long as is told */
#define LATE_LEAST    3   /* steps that show it */

/* ---- in order ---- */

static int compare_places(const struct foreign_place *x, const struct foreign_place *y)
{
	int order = strcmp(x->host, y->host);

	return order ? order : strcmp(x->target, y->target);
}

static bool is_same(const struct foreign_place *x, const struct foreign_place *y)
{
	return x->at_s == y->at_s && compare_places(x, y) == 0;
}

/* Those that are alike in the order in which they stand. */
static int compare(const void *a, const void *b)
{
	const struct foreign_place *x = a, *y = b;
	int order = compare_places(x, y);

	if (!order)
		order = (x->at_s > y->at_s) - (x->at_s < y->at_s);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* A row without a name is of the only one that there is. */
static void name_rest(struct foreign_place *places, uint32_t count)
{
	const char *host = NULL, *target = NULL;

	for (uint32_t i = 0; i < count; i++) {
		host = text_or(host, places[i].host);
		target = text_or(target, places[i].target);
	}
	for (uint32_t i = 0; i < count; i++) {
		places[i].host = text_or(places[i].host, text_or(host, ""));
		places[i].target = text_or(places[i].target, text_or(target, ""));
	}
	if (count)
		qsort(places, count, sizeof(*places), compare);
}

struct foreign_place *foreign_order_samples(const struct foreign_measured *m)
{
	struct foreign_place *places = mem_new(m->samples_count, sizeof(*places));

	for (uint32_t i = 0; i < m->samples_count; i++) {
		const struct foreign_sample *s = &m->samples[i];
		places[i] = (struct foreign_place){s->host, s->target, s->time_s, i};
	}
	name_rest(places, m->samples_count);
	return places;
}

struct foreign_place *foreign_order_totals(const struct foreign_measured *m)
{
	struct foreign_place *places = mem_new(m->moved_count, sizeof(*places));

	for (uint32_t i = 0; i < m->moved_count; i++) {
		const struct foreign_total *t = &m->moved[i];
		double at_s = isnan(t->start_s) ? -1 : t->start_s;
		places[i] = (struct foreign_place){t->host, t->target, at_s, i};
	}
	name_rest(places, m->moved_count);
	return places;
}

/* ---- twice ---- */

uint32_t foreign_sample_twice(const struct foreign_place *places, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (is_same(&places[i - 1], &places[i]))
			return i;
	return 0;
}

uint32_t foreign_total_twice(const struct foreign_place *places, const struct foreign_measured *m)
{
	for (uint32_t i = 1; i < m->moved_count; i++)
		if (!m->moved[places[i - 1].row].worker && !m->moved[places[i].row].worker &&
		    is_same(&places[i - 1], &places[i]))
			return i;
	return 0;
}

/* ---- for too long ---- */

/* Of a host and target; `steps` is room for as many. 0: none contradicts. */
static uint32_t step_against(const struct foreign_place *places, uint32_t count, double told_s,
			     double *steps)
{
	for (uint32_t i = 1; i < count; i++)
		steps[i - 1] = places[i].at_s - places[i - 1].at_s;
	if (count > 1)
		stats_sort(steps, count - 1);
	if (count > LATE_LEAST && steps[0] > LATEST * told_s)
		return 1;
	double share = count > 1 && steps[(count - 1) / 2] < EARLIEST_MOST * told_s ? EARLIEST_MOST
										    : EARLIEST;
	for (uint32_t i = 1; i < count; i++)
		if (places[i].at_s - places[i - 1].at_s < share * told_s)
			return i;
	return 0;
}

uint32_t foreign_sample_against(const struct foreign_place *places, uint32_t count,
				uint64_t bucket_ns)
{
	double *steps = mem_new(count, sizeof(*steps));
	uint32_t found = 0, end;

	for (uint32_t first = 0; first < count && !found; first = end) {
		for (end = first + 1;
		     end < count && compare_places(&places[first], &places[end]) == 0;)
			end++;
		uint32_t step = step_against(&places[first], end - first,
					     (double)bucket_ns / NS_PER_S, steps);
		found = step ? first + step : 0;
	}
	free(steps);
	return found;
}
