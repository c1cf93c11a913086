#include "controller/analysis/window.h"

#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"

bool window_host_is_complete(const struct result_phase_host *host)
{
	return text_is(host->state, "complete");
}

bool window_host_counts(const struct result_phase_host *host)
{
	return window_host_is_complete(host) ||
	       (text_is(host->state, "aborted") && window_host_operations(host));
}

/* ---- when ---- */

static bool is_empty(struct window_interval interval)
{
	return interval.end_ns <= interval.start_ns;
}

struct window_interval window_target_interval(const struct result_phase *phase,
					      const struct result_target *target)
{
	uint64_t ramp_end_ns = phase->start_ns + phase->ramp_ns;
	struct window_interval interval = {target->first_io_ns, target->last_io_ns};

	if (interval.start_ns < ramp_end_ns)
		interval.start_ns = ramp_end_ns;
	return is_empty(interval) ? (struct window_interval){0} : interval;
}

static struct window_interval cover(struct window_interval a, struct window_interval b)
{
	if (is_empty(a))
		return b;
	if (is_empty(b))
		return a;
	return (struct window_interval){
		.start_ns = a.start_ns < b.start_ns ? a.start_ns : b.start_ns,
		.end_ns = a.end_ns > b.end_ns ? a.end_ns : b.end_ns,
	};
}

struct window_interval window_host_interval(const struct result_phase *phase,
					    const struct result_phase_host *host)
{
	struct window_interval interval = {0};

	for (uint32_t t = 0; t < host->targets_count; t++)
		interval = cover(interval, window_target_interval(phase, &host->targets[t]));
	return interval;
}

struct window_interval window_span(const struct result_phase *phase)
{
	struct window_interval interval = {0};

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (window_host_counts(&phase->hosts[h]))
			interval = cover(interval, window_host_interval(phase, &phase->hosts[h]));
	return interval;
}

struct window_interval window_overlap(const struct result_phase *phase)
{
	struct window_interval common = {phase->start_ns + phase->ramp_ns, UINT64_MAX};

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t t = 0; window_host_counts(host) && t < host->targets_count; t++) {
			struct window_interval own =
				window_target_interval(phase, &host->targets[t]);
			if (own.start_ns > common.start_ns)
				common.start_ns = own.start_ns;
			if (own.end_ns < common.end_ns)
				common.end_ns = own.end_ns;
		}
	}
	return common.end_ns == UINT64_MAX || is_empty(common) ? (struct window_interval){0}
							       : common;
}

/* Buckets [first, end) of the phase. */
struct buckets {
	uint64_t first, end;
};

static struct buckets whole_buckets(const struct result_phase *phase, struct window_interval within)
{
	uint64_t width = phase->bucket_ns;

	if (is_empty(within) || width == 0 || within.start_ns < phase->start_ns)
		return (struct buckets){0};
	uint64_t start = within.start_ns - phase->start_ns, end = within.end_ns - phase->start_ns;
	struct buckets buckets = {start / width + (start % width != 0), end / width};
	return buckets.end > buckets.first ? buckets : (struct buckets){0};
}

/* ---- how much ---- */

double window_rate(uint64_t amount, struct window_interval interval)
{
	if (is_empty(interval))
		return NAN;
	return (double)amount * (double)NS_PER_S / (double)(interval.end_ns - interval.start_ns);
}

uint64_t window_host_bytes(const struct result_phase_host *host)
{
	uint64_t bytes = 0;

	for (uint32_t t = 0; t < host->targets_count; t++)
		bytes += host->targets[t].bytes;
	return bytes;
}

uint64_t window_host_operations(const struct result_phase_host *host)
{
	uint64_t operations = 0;

	for (uint32_t t = 0; t < host->targets_count; t++)
		operations += host->targets[t].operations;
	return operations;
}

void window_target_rates(const struct result_phase *phase, struct result_target *target)
{
	struct window_interval interval = window_target_interval(phase, target);

	target->throughput_bytes_per_s = window_rate(target->bytes, interval);
	target->iops = window_rate(target->operations, interval);
	target->throughput_with_sync_bytes_per_s = NAN;
	if (target->sync_ns && !is_empty(interval)) {
		interval.end_ns += target->sync_ns;
		target->throughput_with_sync_bytes_per_s = window_rate(target->bytes, interval);
	}
}

static void add_buckets(const struct series *series, struct buckets within, uint64_t *bytes,
			uint64_t *operations)
{
	uint64_t end = within.end < series->count ? within.end : series->count;

	for (uint64_t b = within.first; b < end; b++) {
		*bytes += series->buckets[b].bytes_read + series->buckets[b].bytes_written;
		*operations += series->buckets[b].operations;
	}
}

struct result_latency window_latency(const struct histogram *h)
{
	struct result_latency latency = {.mean = histogram_mean(h), .max = h->max};
	const struct {
		double percent, *value;
	} wanted[] = {
		{50, &latency.p50}, {90, &latency.p90}, {99, &latency.p99}, {99.9, &latency.p999}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		*wanted[i].value = histogram_has_percentile(h, wanted[i].percent)
					   ? (double)histogram_percentile(h, wanted[i].percent)
					   : NAN;
	return latency;
}

/* ---- the cluster ---- */

static void add_totals(struct result_cluster *cluster, const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (!window_host_counts(host))
			continue;
		cluster->hosts++;
		cluster->bytes += window_host_bytes(host);
		cluster->operations += window_host_operations(host);
		for (uint32_t t = 0; t < host->targets_count; t++)
			cluster->errors += host->targets[t].errors;
	}
	cluster->of = phase->hosts_count;
}

static double sum_of_averages(const struct result_phase *phase)
{
	double sum = NAN;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		double own =
			window_rate(window_host_bytes(host), window_host_interval(phase, host));
		if (window_host_counts(host) && !isnan(own))
			sum = isnan(sum) ? own : sum + own;
	}
	return sum;
}

static void measure_window(struct result_cluster *cluster, const struct result_phase *phase,
			   const struct phase_series *series, double *iops)
{
	struct buckets within = whole_buckets(phase, window_overlap(phase));
	uint64_t bytes = 0, operations = 0;

	cluster->all_active_bytes_per_s = NAN;
	if (within.end == within.first)
		return;
	cluster->all_active_start_ns = phase->start_ns + within.first * phase->bucket_ns;
	cluster->all_active_window_ns = (within.end - within.first) * phase->bucket_ns;
	if (!series || !series->series)
		return;
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0;
		     window_host_counts(&phase->hosts[h]) && t < phase->hosts[h].targets_count; t++)
			add_buckets(&series->series[h][t], within, &bytes, &operations);
	struct window_interval window = {0, cluster->all_active_window_ns};
	cluster->all_active_bytes_per_s = window_rate(bytes, window);
	*iops = window_rate(operations, window);
}

/* Of all hosts that count; `any`: whether there was one to merge. */
static struct result_latency merge_latency(const struct result_phase *phase,
					   struct histogram *const *of, bool *any)
{
	struct histogram *all = mem_new(1, sizeof(*all));

	*any = false;
	for (uint32_t h = 0; of && h < phase->hosts_count; h++)
		for (uint32_t t = 0; of[h] && window_host_counts(&phase->hosts[h]) &&
				     t < phase->hosts[h].targets_count;
		     t++) {
			histogram_merge(all, &of[h][t]);
			*any = true;
		}
	struct result_latency latency = window_latency(all);
	free(all);
	return latency;
}

static struct result_latency *merge_more(const struct result_phase *phase,
					 struct histogram *const *of)
{
	bool any;
	struct result_latency latency = merge_latency(phase, of, &any);

	if (!any)
		return NULL;
	struct result_latency *more = mem_new(1, sizeof(*more));
	*more = latency;
	return more;
}

static bool is_complete(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (!window_host_is_complete(&phase->hosts[h]))
			return false;
	return phase->hosts_count > 0;
}

void window_compute(struct result_phase *phase, const struct phase_series *series, bool timed)
{
	struct result_cluster *cluster = mem_new(1, sizeof(*cluster));
	struct window_interval span = window_span(phase);
	double window_iops = NAN;
	bool any;

	add_totals(cluster, phase);
	measure_window(cluster, phase, series, &window_iops);
	cluster->span_bytes_per_s = window_rate(cluster->bytes, span);
	cluster->sum_of_averages_bytes_per_s = sum_of_averages(phase);
	double headline = timed ? cluster->all_active_bytes_per_s : cluster->span_bytes_per_s;
	cluster->headline = mem_text(timed ? "all_active" : "span");
	cluster->gap = headline > 0 ? cluster->sum_of_averages_bytes_per_s / headline : NAN;
	cluster->iops = timed ? window_iops : window_rate(cluster->operations, span);
	cluster->latency_ns = merge_latency(phase, series ? series->latency : NULL, &any);
	cluster->response_ns = merge_more(phase, series ? series->response : NULL);
	cluster->syncs_ns = merge_more(phase, series ? series->syncs : NULL);
	if (is_complete(phase))
		phase->cluster = cluster;
	else
		phase->cluster_partial = cluster;
}
