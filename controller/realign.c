#include "controller/realign.h"

#include <stdlib.h>

#include "common/memory.h"

/* A clock further off than that says nothing about where its buckets belong. */
#define MOST_BUCKETS 1000000

static int64_t rounded(int64_t error_ns, int64_t width_ns)
{
	int64_t half = error_ns < 0 ? -width_ns / 2 : width_ns / 2;

	return (error_ns + half) / width_ns;
}

/* Where bucket `k` belongs; itself when that is unknown. */
static uint32_t home_of(const struct result_phase *phase, const struct series_edge *edge,
			uint32_t k)
{
	int64_t ramp = (int64_t)(phase->ramp_ns / phase->bucket_ns), home = k;

	if (edge->bound_ns < phase->bucket_ns)
		home += rounded(edge->error_ns, (int64_t)phase->bucket_ns);
	int64_t least = k < ramp ? 0 : ramp, most = k < ramp ? ramp - 1 : MOST_BUCKETS;
	if (home < least)
		home = least;
	if (home > most)
		home = most > (int64_t)k ? most : (int64_t)k;
	return (uint32_t)home;
}

static void move_counts(const struct series_bucket *from, struct series_bucket *to)
{
	to->bytes_read += from->bytes_read;
	to->bytes_written += from->bytes_written;
	to->operations += from->operations;
	to->errors += from->errors;
	if (from->worst_ns > to->worst_ns)
		to->worst_ns = from->worst_ns;
}

static void rebuild(struct series *series, const uint32_t *homes, uint32_t count)
{
	struct series_bucket *buckets = mem_new(count, sizeof(*buckets));

	for (uint32_t k = 0; k < series->count; k++)
		move_counts(&series->buckets[k], &buckets[homes[k]]);
	free(series->buckets);
	series->buckets = buckets;
	series->count = series->room = count;
}

/* A bucket's edge is that of the first that came to it; where none came, nothing is known. */
static struct series_edge *rebuild_edges(const struct result_phase *phase,
					 const struct series_edge *edges, const uint32_t *homes,
					 uint32_t had, uint32_t count)
{
	struct series_edge *fresh = mem_new(count, sizeof(*fresh));

	for (uint32_t j = 0; j < count; j++)
		fresh[j] = (struct series_edge){.bound_ns = phase->bucket_ns, .disrupted = true};
	for (uint32_t k = had; k-- > 0;) {
		int64_t moved = (int64_t)homes[k] - (int64_t)k;
		fresh[homes[k]] = edges[k];
		fresh[homes[k]].error_ns -= moved * (int64_t)phase->bucket_ns;
	}
	return fresh;
}

uint32_t realign_host(const struct result_phase *phase, struct series *series, uint32_t targets,
		      struct series_edge **edges, uint32_t *edges_count)
{
	uint32_t had = *edges_count, count = 0, moved = 0;
	uint32_t *homes = mem_new(had, sizeof(*homes));

	for (uint32_t k = 0; k < had; k++) {
		homes[k] = home_of(phase, &(*edges)[k], k);
		moved += homes[k] != k;
		count = homes[k] >= count ? homes[k] + 1 : count;
	}
	if (moved) {
		for (uint32_t t = 0; t < targets; t++)
			rebuild(&series[t], homes, count);
		struct series_edge *fresh = rebuild_edges(phase, *edges, homes, had, count);
		free(*edges);
		*edges = fresh;
		*edges_count = count;
	}
	free(homes);
	return moved;
}
