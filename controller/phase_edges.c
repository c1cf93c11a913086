#include "controller/phase_edges.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"

#define LATE_NS   NS_PER_MS
#define LATE_MOST 20

/* ---- instants ---- */

/* Where an agent's instant must about lie, by the start as it was told. */
static uint64_t about(const struct phase_edges *edges, const struct fleet_host *host,
		      uint64_t agent_ns)
{
	int64_t after = (int64_t)(agent_ns - host->borders[0].at_ns);

	return (uint64_t)((int64_t)edges->start_ns + after);
}

uint64_t phase_edges_since_run(const struct phase_edges *edges, const struct host_clock *clock,
			       const struct fleet_host *host, uint64_t agent_ns,
			       struct host_instant *instant)
{
	*instant = (struct host_instant){0};
	if (!agent_ns || !host->borders_count)
		return 0;
	*instant = host_clock_instant(clock, agent_ns, about(edges, host, agent_ns));
	/* A run that was taken up again can have begun before the clock's zero. */
	int64_t since = (int64_t)(instant->at_ns - edges->run_start_ns);
	return since > 0 ? (uint64_t)since : 1;
}

/* ---- buckets ---- */

/* The borders in force for a bucket: amendments come in order. */
static const struct border *border_for(const struct fleet_host *host, uint32_t bucket, uint32_t *at)
{
	while (*at + 1 < host->borders_count && host->borders[*at + 1].from <= bucket)
		++*at;
	return &host->borders[*at];
}

static void widen(struct result_edges *into, const struct series_edge *edge)
{
	uint64_t error = (uint64_t)(edge->error_ns < 0 ? -edge->error_ns : edge->error_ns);

	if (edge->bound_ns > into->bound_ns)
		into->bound_ns = edge->bound_ns;
	if (edge->disrupted)
		into->disrupted++;
	else if (error > into->error_ns)
		into->error_ns = error;
}

/* Where the grid has the borders, and what is known of the clock there. */
static struct clock_estimate *sweep(const struct phase_edges *edges, const struct host_clock *clock,
				    uint32_t count)
{
	struct clock_estimate *estimates = mem_new(count, sizeof(*estimates));
	uint64_t *instants = mem_new(count, sizeof(*instants));

	for (uint32_t k = 0; k < count; k++)
		instants[k] = edges->start_ns + k * edges->phase->bucket_ns;
	clock_fit_sweep(&clock->fit, instants, count, estimates);
	free(instants);
	return estimates;
}

/* The agent's clock showed `shown_ns` so long after the instant `wanted_ns`; theta moves by at most
 * 500 ppm of that meanwhile. */
static struct series_edge edge_of(uint64_t shown_ns, uint64_t wanted_ns,
				  const struct clock_estimate *estimate)
{
	struct series_edge edge = {.bound_ns = UINT64_MAX, .disrupted = estimate->disrupted};

	if (!estimate->known)
		return edge;
	edge.error_ns = (int64_t)(shown_ns - wanted_ns) - estimate->offset_ns;
	uint64_t distance = (uint64_t)(edge.error_ns < 0 ? -edge.error_ns : edge.error_ns);
	edge.bound_ns = clock_estimate_bound(estimate) + distance / 2000;
	return edge;
}

struct series_edge *phase_edges_compute(const struct phase_edges *edges,
					const struct host_clock *clock,
					const struct fleet_host *host, uint32_t count,
					struct result_edges *into)
{
	struct series_edge *list = mem_new(count, sizeof(*list));
	uint64_t width = edges->phase->bucket_ns;
	uint32_t at = 0;

	*into = (struct result_edges){0};
	if (!host->borders_count || !count)
		return list;
	into->amendments = host->borders_count - 1;
	struct clock_estimate *estimates = sweep(edges, clock, count);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t border = border_of(border_for(host, k, &at), k, width);
		list[k] = edge_of(border, edges->start_ns + k * width, &estimates[k]);
		widen(into, &list[k]);
	}
	free(estimates);
	return list;
}

/* ---- skew ---- */

struct spread {
	uint64_t earliest, latest;
};

static void spread_over(struct spread *spread, uint64_t at_ns)
{
	if (!at_ns)
		return;
	if (at_ns < spread->earliest)
		spread->earliest = at_ns;
	if (at_ns > spread->latest)
		spread->latest = at_ns;
}

static uint64_t spread_width(const struct spread *spread)
{
	return spread->latest > spread->earliest ? spread->latest - spread->earliest : 0;
}

static int by_lateness(const void *a, const void *b)
{
	uint64_t x = ((const struct result_late *)a)->late_ns;
	uint64_t y = ((const struct result_late *)b)->late_ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void add_late(struct result_phase *phase, const struct result_phase_host *host,
		     const struct result_worker *worker)
{
	if (worker->first_submit_ns <= phase->start_ns + LATE_NS)
		return;
	struct result_late *late = RECORD_APPEND(phase->late, phase->late_count);
	late->host = mem_text(host->host);
	late->target = mem_text(worker->target);
	late->worker = worker->worker;
	late->late_ns = worker->first_submit_ns - phase->start_ns;
}

static void keep_latest(struct result_phase *phase)
{
	if (phase->late_count)
		qsort(phase->late, phase->late_count, sizeof(*phase->late), by_lateness);
	while (phase->late_count > LATE_MOST) {
		struct result_late *last = &phase->late[--phase->late_count];
		free(last->host);
		free(last->target);
	}
}

/* Between two hosts the errors of their clocks add; within one they are the same and cancel. */
static uint64_t two_widest(const struct result_phase *phase, const uint64_t *bounds)
{
	uint64_t widest = 0, second = 0;

	if (phase->hosts_count < 2)
		return 0;
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		if (bounds[h] > widest) {
			second = widest;
			widest = bounds[h];
		} else if (bounds[h] > second) {
			second = bounds[h];
		}
	}
	return widest > UINT64_MAX - second ? UINT64_MAX : widest + second;
}

void phase_edges_skew(struct result_phase *phase, const uint64_t *bounds)
{
	struct spread start = {.earliest = UINT64_MAX}, stop = {.earliest = UINT64_MAX};

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t w = 0; w < host->workers_count; w++) {
			const struct result_worker *worker = &host->workers[w];
			spread_over(&start, worker->first_submit_ns);
			spread_over(&stop, worker->last_completion_ns);
			if (worker->first_submit_ns)
				add_late(phase, host, worker);
		}
	}
	keep_latest(phase);
	phase->start_skew_ns = spread_width(&start);
	phase->stop_skew_ns = spread_width(&stop);
	phase->start_skew_bound_ns = phase->stop_skew_bound_ns = two_widest(phase, bounds);
}
