#include "controller/clock_hull.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/memory.h"

static int compare_facts(const void *a, const void *b)
{
	const struct clock_fact *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static bool is_sorted(const struct clock_fact *facts, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (facts[i].at < facts[i - 1].at)
			return false;
	return true;
}

static double lifted_slope(const struct clock_fact *from, const struct clock_fact *to)
{
	return (to->value - from->value) / (to->at - from->at) +
	       CLOCK_HULL_WANDER / 2 * (to->at + from->at);
}

/* Andrew's monotone chain: what the new edge passes beneath is no corner any more. */
static void add(struct clock_hull *hull, const struct clock_fact *fact)
{
	struct clock_corner *corners = hull->corners;
	uint32_t count = hull->count;
	double slope = -INFINITY;

	if (count && corners[count - 1].fact.at == fact->at) {
		if (corners[count - 1].fact.value <= fact->value)
			return;
		count--;
	}
	for (; count; count--) {
		slope = lifted_slope(&corners[count - 1].fact, fact);
		if (slope > corners[count - 1].slope)
			break;
	}
	corners[count] = (struct clock_corner){*fact, count ? slope : -INFINITY};
	hull->count = count + 1;
}

void clock_hull_set(struct clock_hull *hull, struct clock_fact *facts, uint32_t count)
{
	if (!is_sorted(facts, count))
		qsort(facts, count, sizeof(*facts), compare_facts);
	if (hull->capacity < count) {
		hull->capacity = count * 2;
		hull->corners = mem_resize(hull->corners, hull->capacity, sizeof(*hull->corners));
	}
	hull->count = 0;
	for (uint32_t i = 0; i < count; i++)
		add(hull, &facts[i]);
}

void clock_hull_release(struct clock_hull *hull)
{
	free(hull->corners);
	*hull = (struct clock_hull){0};
}

const struct clock_fact *clock_hull_binding(const struct clock_hull *hull, double t, double slope)
{
	double lifted = slope + CLOCK_HULL_WANDER * t;
	uint32_t low = 0, high = hull->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (hull->corners[middle].slope <= lifted)
			low = middle;
		else
			high = middle;
	}
	return &hull->corners[low].fact;
}

double clock_hull_best_slope(const struct clock_hull *hull, double t)
{
	uint32_t low = 0, high = hull->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (hull->corners[middle].fact.at <= t)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == hull->count)
		return INFINITY;
	return low ? hull->corners[low].slope - CLOCK_HULL_WANDER * t : -INFINITY;
}
