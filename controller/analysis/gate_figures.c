#include "controller/analysis/gate_figures.h"

#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/layers.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/timeline_rules.h"
#include "controller/analysis/window.h"

#define BLOCKS         10 /* the middle of ten lies between the second and the ninth: 97.9 % */
#define LEAST_BLOCK_NS NS_PER_S
#define ROUNDING       1e-9
#define EXACT_SAMPLES  2000 /* more, and the binomial is as good as normal */
#define Z              1.96

static const struct gate_figure nothing = {.value = NAN, .low = NAN, .high = NAN};

static struct gate_figure lacking(const char *what)
{
	return (struct gate_figure){.value = NAN, .low = NAN, .high = NAN, .lack = what};
}

static struct gate_figure plain(double value)
{
	return (struct gate_figure){.value = value, .low = NAN, .high = NAN};
}

static bool takes_host(const struct gate_scope *scope, uint32_t h)
{
	return (scope->of != PLAN_OF_HOST && scope->of != PLAN_OF_TARGET) || scope->host == h;
}

static bool takes_target(const struct gate_scope *scope, uint32_t t)
{
	return scope->of != PLAN_OF_TARGET || scope->target == t;
}

static bool has_series(const struct gate_scope *scope)
{
	return scope->series && scope->series->series;
}

/* ---- rates ---- */

static double rate_of(const struct gate_scope *scope, bool operations)
{
	const struct result_phase *phase = scope->phase;
	const struct result_cluster *cluster = phase->cluster;

	if (scope->of == PLAN_OF_TARGET) {
		const struct result_target *target =
			&phase->hosts[scope->host].targets[scope->target];
		return operations ? target->iops : target->throughput_bytes_per_s;
	}
	if (scope->of == PLAN_OF_HOST) {
		const struct result_phase_host *host = &phase->hosts[scope->host];
		return window_rate(operations ? window_host_operations(host)
					      : window_host_bytes(host),
				   window_host_interval(phase, host));
	}
	if (!cluster)
		return NAN;
	if (operations)
		return cluster->iops;
	return text_is(cluster->headline, "span") ? cluster->span_bytes_per_s
						  : cluster->all_active_bytes_per_s;
}

/* What the scope did in the buckets [from, from + count). */
static double amount(const struct gate_scope *scope, bool operations, uint64_t from, uint64_t count)
{
	double sum = 0;

	for (uint32_t h = 0; h < scope->phase->hosts_count; h++)
		for (uint32_t t = 0;
		     takes_host(scope, h) && t < scope->phase->hosts[h].targets_count; t++) {
			const struct series *own = &scope->series->series[h][t];
			for (uint64_t b = from;
			     takes_target(scope, t) && b < from + count && b < own->count; b++)
				sum += operations ? (double)own->buckets[b].operations
						  : (double)(own->buckets[b].bytes_read +
							     own->buckets[b].bytes_written);
		}
	return sum;
}

/* Parts as long as a rhythm, or on both sides of a step, say nothing about the mean, and the middle
 * of them leaves a stall out that the mean has in it. */
static bool is_even(const struct gate_scope *scope)
{
	static const char *const uneven[] = {
		"PERIODIC_STALL", "PERIODIC_DIP", "STEP_UP", "STEP_DOWN",
		"NOT_STEADY",     "STALL",        "DIPS"};
	const struct result *result = scope->result;

	for (uint32_t f = 0; f < result->findings_count; f++)
		for (size_t u = 0; u < sizeof(uneven) / sizeof(uneven[0]); u++)
			if (text_is(result->findings[f].code, uneven[u]) &&
			    text_is(result->findings[f].phase, scope->phase->name) &&
			    result->findings[f].trial == scope->phase->trial)
				return false;
	return true;
}

/* The interval is that of the middle of the parts: where the figure, a mean, is not within, it says
 * nothing about it. */
static void add_interval(struct gate_figure *figure, const struct gate_scope *scope,
			 bool operations)
{
	const struct result_cluster *cluster = scope->phase->cluster;
	uint64_t width = scope->phase->bucket_ns;
	double blocks[BLOCKS];
	uint32_t low, high;

	if (!cluster || !has_series(scope) || !width || !text_is(cluster->headline, "all_active") ||
	    !is_even(scope) || cluster->all_active_window_ns / BLOCKS < LEAST_BLOCK_NS ||
	    cluster->all_active_window_ns / BLOCKS < width)
		return;
	uint64_t first = (cluster->all_active_start_ns - scope->phase->start_ns) / width;
	uint64_t length = cluster->all_active_window_ns / width / BLOCKS;
	for (uint32_t b = 0; b < BLOCKS; b++)
		blocks[b] = amount(scope, operations, first + b * length, length) *
			    (double)NS_PER_S / (double)(length * width);
	stats_sort(blocks, BLOCKS);
	if (!stats_quantile_ranks(BLOCKS, 0.5, 0.95, &low, &high, NULL) ||
	    figure->value < blocks[low - 1] * (1 - ROUNDING) ||
	    figure->value > blocks[high - 1] * (1 + ROUNDING))
		return;
	figure->low = blocks[low - 1];
	figure->high = blocks[high - 1];
}

static struct gate_figure figure_of_rate(const struct gate_scope *scope, bool operations)
{
	struct gate_figure figure = plain(rate_of(scope, operations));

	if (isnan(figure.value) && scope->phase->cluster && !has_series(scope))
		return lacking("its timeline is missing");
	if (!isnan(figure.value))
		add_interval(&figure, scope, operations);
	return figure;
}

/* ---- latency ---- */

static const struct {
	enum plan_metric metric;
	double percent;
} percentiles[] = {
	{PLAN_METRIC_P50_LATENCY, 50},
	{PLAN_METRIC_P90_LATENCY, 90},
	{PLAN_METRIC_P99_LATENCY, 99},
	{PLAN_METRIC_P999_LATENCY, 99.9},
};

/* The same of operations, whatever it is of. */
static enum plan_metric plain_metric(enum plan_metric metric)
{
	const int kinds = PLAN_METRIC_MEAN_SERVICE - PLAN_METRIC_MEAN_LATENCY;

	if (!plan_metric_is_latency(metric))
		return metric;
	return PLAN_METRIC_MEAN_LATENCY + (metric - PLAN_METRIC_MEAN_LATENCY) % kinds;
}

double gate_latency(const struct result_latency *latency, enum plan_metric metric)
{
	switch (plain_metric(metric)) {
	case PLAN_METRIC_MEAN_LATENCY:
		return latency->mean;
	case PLAN_METRIC_P50_LATENCY:
		return latency->p50;
	case PLAN_METRIC_P90_LATENCY:
		return latency->p90;
	case PLAN_METRIC_P99_LATENCY:
		return latency->p99;
	case PLAN_METRIC_P999_LATENCY:
		return latency->p999;
	case PLAN_METRIC_MAX_LATENCY:
		return latency->max ? (double)latency->max : NAN;
	default:
		return NAN;
	}
}

/* Ranks at 95 % of the percentile of `total` samples. */
static bool ranks_of(uint64_t total, double q, uint64_t *low, uint64_t *high)
{
	uint32_t exact_low, exact_high;

	if (total <= EXACT_SAMPLES) {
		bool found = stats_quantile_ranks((uint32_t)total, q, 0.95, &exact_low, &exact_high,
						  NULL);
		*low = found ? exact_low : 0;
		*high = found ? exact_high : 0;
		return found;
	}
	double middle = (double)total * q, half = Z * sqrt(middle * (1 - q));
	*low = (uint64_t)(middle - half);
	*high = (uint64_t)ceil(middle + half);
	return *low >= 1 && *high <= total;
}

static void add_ranks(struct gate_figure *figure, const struct histogram *h,
		      enum plan_metric metric)
{
	uint64_t low, high;

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		if (percentiles[i].metric == plain_metric(metric) &&
		    ranks_of(h->total, percentiles[i].percent / 100, &low, &high)) {
			figure->low = (double)histogram_at(h, low);
			figure->high = (double)histogram_at(h, high);
		}
}

static bool is_of_service(enum plan_metric metric)
{
	return metric >= PLAN_METRIC_MEAN_SERVICE && metric <= PLAN_METRIC_MAX_SERVICE;
}

/* Of the targets of a host. Unless it is told whose they are, those of a phase with a rate are from
 * when an operation was due, since with one that waits for the last the slow ones would count too
 * little. NULL: none. */
static const struct histogram *histograms_of(const struct gate_scope *scope, uint32_t host,
					     enum plan_metric metric)
{
	const struct phase_series *series = scope->series;

	if (!series)
		return NULL;
	if (plan_metric_is_of_syncs(metric))
		return series->syncs ? series->syncs[host] : NULL;
	if (!is_of_service(metric) && series->response && series->response[host])
		return series->response[host];
	return series->latency ? series->latency[host] : NULL;
}

/* The same of what was computed already. */
static double figure_written(enum plan_metric metric, const struct result_latency *latency,
			     const struct result_latency *response,
			     const struct result_latency *syncs)
{
	if (plan_metric_is_of_syncs(metric))
		return syncs ? gate_latency(syncs, metric) : NAN;
	return gate_latency(response && !is_of_service(metric) ? response : latency, metric);
}

double gate_cluster_latency(const struct result_cluster *cluster, enum plan_metric metric)
{
	return figure_written(metric, &cluster->latency_ns, cluster->response_ns,
			      cluster->syncs_ns);
}

/* Of a run that was read back there are no histograms, only what they said. */
static struct gate_figure figure_as_written(const struct gate_scope *scope, enum plan_metric metric)
{
	const struct result_phase *phase = scope->phase;
	const struct result_cluster *cluster = phase->cluster;

	if (scope->of == PLAN_OF_FLEET || scope->of == PLAN_OF_LABEL)
		return cluster ? plain(gate_cluster_latency(cluster, metric)) : nothing;
	const struct result_phase_host *host = &phase->hosts[scope->host];
	if (scope->of == PLAN_OF_HOST && host->targets_count != 1)
		return lacking("there is no histogram of all its targets");
	const struct result_target *target =
		&host->targets[scope->of == PLAN_OF_TARGET ? scope->target : 0];
	return plain(
		figure_written(metric, &target->latency_ns, target->response_ns, target->syncs_ns));
}

/* Why there is none. `any`: whether there is a histogram of it. */
static const char *lack_of_latency(const struct gate_scope *scope, enum plan_metric metric,
				   bool any)
{
	enum plan_metric mean = metric - (plain_metric(metric) - PLAN_METRIC_MEAN_LATENCY);

	if (!any && isnan(figure_as_written(scope, mean).value))
		return "nothing is known of its latencies";
	return plan_metric_is_of_syncs(metric)
		       ? "too few syncs took longer than that percentile"
		       : "too few operations took longer than that percentile";
}

static struct gate_figure figure_of_latency(const struct gate_scope *scope, enum plan_metric metric)
{
	struct histogram *all = mem_new(1, sizeof(*all));
	struct gate_figure figure;

	for (uint32_t h = 0; h < scope->phase->hosts_count; h++) {
		const struct histogram *own = histograms_of(scope, h, metric);
		for (uint32_t t = 0;
		     own && takes_host(scope, h) && t < scope->phase->hosts[h].targets_count; t++)
			if (takes_target(scope, t))
				histogram_merge(all, &own[t]);
	}
	if (all->total) {
		struct result_latency latency = window_latency(all);
		figure = plain(gate_latency(&latency, metric));
		add_ranks(&figure, all, metric);
	} else {
		figure = figure_as_written(scope, metric);
	}
	bool of_one = scope->of == PLAN_OF_HOST || scope->of == PLAN_OF_TARGET;
	if (isnan(figure.value) && !figure.lack && (of_one || scope->phase->cluster))
		figure = lacking(lack_of_latency(scope, metric, all->total > 0));
	free(all);
	return figure;
}

/* ---- between hosts ---- */

/* In percent; NAN where one moved nothing. */
static struct gate_figure figure_of_spread(const struct gate_scope *scope)
{
	const struct result_phase *phase = scope->phase;
	double *rates = mem_new(phase->hosts_count, sizeof(*rates)), value = NAN;
	uint32_t count = 0;
	bool is_single = phase->cluster && phase->hosts_count == 1;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		rates[count] =
			window_rate(window_host_bytes(host), window_host_interval(phase, host));
		count += !isnan(rates[count]);
	}
	if (phase->cluster && count == phase->hosts_count && count > 1) {
		stats_sort(rates, count);
		value = 100 * (rates[count - 1] - rates[0]) / stats_quantile(rates, count, 0.5);
	}
	free(rates);
	return is_single ? lacking("a spread is between two hosts or more") : plain(value);
}

static struct gate_figure figure_of_skew(const struct gate_scope *scope)
{
	const struct result_phase *phase = scope->phase;
	double value = (double)phase->start_skew_ns, bound = (double)phase->start_skew_bound_ns;

	if (!phase->cluster)
		return nothing;
	if (phase->start_skew_bound_ns >= INT64_MAX)
		return lacking("how closely together its workers began is not known");
	return (struct gate_figure){
		.value = value, .low = fmax(0, value - bound), .high = value + bound};
}

/* ---- by themselves ---- */

static struct gate_figure figure_of_errors(const struct gate_scope *scope)
{
	uint64_t errors = 0;

	if (scope->of != PLAN_OF_HOST && scope->of != PLAN_OF_TARGET && !scope->phase->cluster)
		return nothing;
	for (uint32_t h = 0; h < scope->phase->hosts_count; h++)
		for (uint32_t t = 0;
		     takes_host(scope, h) && t < scope->phase->hosts[h].targets_count; t++)
			if (takes_target(scope, t))
				errors += scope->phase->hosts[h].targets[t].errors;
	return scope->phase->errors_unknown ? lacking("how many failed was not told")
					    : plain((double)errors);
}

/* That which is furthest from 100 %. One that is not known leaves nothing to say of all. */
static struct gate_figure figure_of_share(const struct gate_scope *scope)
{
	double worst = NAN;

	for (uint32_t h = 0; h < scope->phase->hosts_count; h++)
		for (uint32_t t = 0;
		     takes_host(scope, h) && t < scope->phase->hosts[h].targets_count; t++) {
			if (!takes_target(scope, t))
				continue;
			const struct result_device *device =
				devices_find(scope->phase, h, &scope->phase->hosts[h].targets[t]);
			if (!device || isnan(device->share))
				return lacking("the devices beneath are not known");
			if (isnan(worst) || fabs(device->share - 1) > fabs(worst - 1))
				worst = device->share;
		}
	return plain(100 * worst);
}

static struct gate_figure figure_of_steadiness(const struct gate_scope *scope)
{
	uint32_t host = scope->of == PLAN_OF_HOST ? scope->host : UINT32_MAX;
	struct gate_figure figure = nothing;

	figure.value = 100 * timeline_rules_steadiness(scope->result, scope->phase, scope->series,
						       host, &figure.lack);
	return figure;
}

static struct gate_figure figure_of_stripe(const struct gate_scope *scope)
{
	uint32_t host = scope->of == PLAN_OF_HOST ? scope->host : LAYERS_FLEET;

	if (!scope->phase->cluster)
		return nothing;
	double share = layers_efficiency(scope->result, scope->phase, host);
	return isnan(share) ? lacking("no sound phase of ten seconds asks the same of its parts")
			    : plain(100 * share);
}

struct gate_figure gate_figure(const struct gate_scope *scope, enum plan_metric metric)
{
	switch (metric) {
	case PLAN_METRIC_THROUGHPUT:
	case PLAN_METRIC_IOPS:
		return figure_of_rate(scope, metric == PLAN_METRIC_IOPS);
	case PLAN_METRIC_ERRORS:
		return figure_of_errors(scope);
	case PLAN_METRIC_SPREAD:
		return figure_of_spread(scope);
	case PLAN_METRIC_STRIPE_EFFICIENCY:
		return figure_of_stripe(scope);
	case PLAN_METRIC_START_SKEW:
		return figure_of_skew(scope);
	case PLAN_METRIC_STEADINESS:
		return figure_of_steadiness(scope);
	case PLAN_METRIC_DEVICE_SHARE:
		return figure_of_share(scope);
	default:
		break;
	}
	return plan_metric_is_latency(metric) ? figure_of_latency(scope, metric) : nothing;
}
