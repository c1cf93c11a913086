#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/foreign_inside.h"

static int compare_places(const char *host, const char *target, const char *other_host,
			  const char *other_target)
{
	int order = strcmp(text_or(host, ""), text_or(other_host, ""));

	return order ? order : strcmp(text_or(target, ""), text_or(other_target, ""));
}

/* ---- lines of a timeline ---- */

/* 0: of one host, target and instant. */
static int compare_samples(const struct foreign_sample *x, const struct foreign_sample *y)
{
	int order = compare_places(x->host, x->target, y->host, y->target);

	return order ? order : (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

/* Those that are alike in the order in which they stand. */
static int order_samples(const void *a, const void *b)
{
	const struct foreign_sample *x = *(const struct foreign_sample *const *)a;
	const struct foreign_sample *y = *(const struct foreign_sample *const *)b;
	int order = compare_samples(x, y);

	return order ? order : (x > y) - (x < y);
}

const struct foreign_sample *foreign_sample_twice(const struct foreign_measured *m,
						  const struct foreign_sample **before)
{
	const struct foreign_sample **sorted = mem_new(m->samples_count, sizeof(*sorted));
	const struct foreign_sample *twice = NULL;

	for (uint32_t i = 0; i < m->samples_count; i++)
		sorted[i] = &m->samples[i];
	if (m->samples_count)
		qsort(sorted, m->samples_count, sizeof(*sorted), order_samples);
	for (uint32_t i = 1; i < m->samples_count && !twice; i++)
		if (compare_samples(sorted[i - 1], sorted[i]) == 0) {
			*before = sorted[i - 1];
			twice = sorted[i];
		}
	free(sorted);
	return twice;
}

/* ---- totals ---- */

static double start_of(const struct foreign_total *t)
{
	return isnan(t->start_s) ? -1 : t->start_s;
}

static int compare_totals(const struct foreign_total *x, const struct foreign_total *y)
{
	int order = compare_places(x->host, x->target, y->host, y->target);

	return order ? order : (start_of(x) > start_of(y)) - (start_of(x) < start_of(y));
}

static int order_totals(const void *a, const void *b)
{
	const struct foreign_total *x = *(const struct foreign_total *const *)a;
	const struct foreign_total *y = *(const struct foreign_total *const *)b;
	int order = compare_totals(x, y);

	return order ? order : (x > y) - (x < y);
}

const struct foreign_total *foreign_total_twice(const struct foreign_measured *m)
{
	const struct foreign_total **sorted = mem_new(m->moved_count, sizeof(*sorted));
	const struct foreign_total *twice = NULL;

	for (uint32_t i = 0; i < m->moved_count; i++)
		sorted[i] = &m->moved[i];
	if (m->moved_count)
		qsort(sorted, m->moved_count, sizeof(*sorted), order_totals);
	for (uint32_t i = 1; i < m->moved_count && !twice; i++)
		if (!sorted[i - 1]->worker && !sorted[i]->worker &&
		    compare_totals(sorted[i - 1], sorted[i]) == 0)
			twice = sorted[i];
	free(sorted);
	return twice;
}
