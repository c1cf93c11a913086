#include "controller/analysis/host_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/measured.h"
#include "controller/analysis/outlier.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/window.h"

#define LEAST_TURNS 20 /* operations of a host, of those in flight at once */

struct member {
	const struct result_phase_host *host;
	char *class;
	double rate;    /* bytes/s over its own time */
	double time_ns; /* first start to last end */
};

/* ---- classes ---- */

static char *append(char *text, const char *label, const char *value)
{
	char *longer = mem_format("%s%s=%s\n", text, text_or(label, ""), text_or(value, ""));

	free(text);
	return longer;
}

static int compare_labels(const void *a, const void *b)
{
	const struct plan_label *x = a, *y = b;
	int order = strcmp(text_or(x->name, ""), text_or(y->name, ""));

	return order ? order : strcmp(text_or(x->value, ""), text_or(y->value, ""));
}

static char *class_of(const struct result_host *about, const struct result_phase_host *host)
{
	char *class = append(mem_text(""), "os", about ? about->os : NULL);

	if (about && about->labels_count) {
		struct plan_label *labels = mem_new(about->labels_count, sizeof(*labels));
		memcpy(labels, about->labels, about->labels_count * sizeof(*labels));
		qsort(labels, about->labels_count, sizeof(*labels), compare_labels);
		for (uint32_t l = 0; l < about->labels_count; l++)
			class = append(class, labels[l].name, labels[l].value);
		free(labels);
	}
	for (uint32_t t = 0; t < host->targets_count; t++)
		class = append(class, host->targets[t].target, host->targets[t].file_system);
	return class;
}

static int compare_classes(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->class, ((const struct member *)b)->class);
}

/* ---- members ---- */

static struct member *members_new(const struct result *result, const struct result_phase *phase,
				  uint32_t *count)
{
	double least = LEAST_TURNS * measured_in_flight(result, phase);
	struct member *members = mem_new(phase->hosts_count, sizeof(*members));

	*count = 0;
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		struct window_interval own = window_host_interval(phase, host);
		double rate = measured_host_rate(phase, h);
		if (!(rate > 0) ||
		    (double)window_host_operations(host) < least * host->targets_count)
			continue;
		members[(*count)++] = (struct member){
			.host = host,
			.class = class_of(result_find_host(result, h, host->host), host),
			.rate = rate,
			.time_ns = (double)(own.end_ns - own.start_ns),
		};
	}
	if (*count)
		qsort(members, *count, sizeof(*members), compare_classes);
	return members;
}

static void members_free(struct member *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(members[i].class);
	free(members);
}

/* ---- rules ---- */

static void report_outlier(struct result *result, const struct result_phase *phase,
			   const struct member *member, const struct outlier *verdict,
			   uint32_t others)
{
	char own[UNITS_TEXT_SIZE], median[UNITS_TEXT_SIZE], z[64] = "";
	bool fast = verdict->ratio > 1;

	if (others + 1 >= OUTLIER_LEAST_MAD && isfinite(verdict->z))
		snprintf(z, sizeof(z), ", modified z %.1f", verdict->z);
	struct result_finding *finding = findings_add(
		result, "OUTLIER", NULL, phase, member->host->host, NULL,
		fast ? "find out what it has that its like have not; a cache, fewer or other "
		       "disks, another place on them"
		     : NULL,
		"the host moved %s, %.1f %% %s than the median of the %u others of its class, "
		"%s%s",
		units_format_rate(own, member->rate), 100 * fabs(verdict->ratio - 1),
		fast ? "more" : "less", others, units_format_rate(median, verdict->median), z);
	findings_figure(finding, "host_bytes_per_s", member->rate);
	findings_figure(finding, "median_of_others_bytes_per_s", verdict->median);
	findings_figure(finding, "ratio", verdict->ratio);
	if (*z)
		findings_figure(finding, "modified_z", verdict->z);
}

/* Where half of them are far from the others, none is the odd one. */
static void report_split(struct result *result, const struct result_phase *phase, double *rates,
			 uint32_t count, uint32_t odd)
{
	char least[UNITS_TEXT_SIZE], median[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	stats_sort(rates, count);
	struct result_finding *finding = findings_add(
		result, "OUTLIER", NULL, phase, NULL, NULL,
		"give hosts of different kinds different labels; compare like with like",
		"%u of %u hosts of a class are over 10 %% off the median of the others, so "
		"none is the odd one: they moved from %s to %s, the median %s",
		odd, count, units_format_rate(least, rates[0]),
		units_format_rate(most, rates[count - 1]),
		units_format_rate(median, stats_quantile(rates, count, 0.5)));
	findings_figure(finding, "hosts", count);
	findings_figure(finding, "hosts_off", odd);
}

static void check_outliers(struct result *result, const struct result_phase *phase,
			   const struct member *members, uint32_t count)
{
	double *rates = mem_new(count, sizeof(*rates));
	struct outlier *verdicts = mem_new(count, sizeof(*verdicts));

	for (uint32_t i = 0; i < count; i++)
		rates[i] = members[i].rate;
	uint32_t odd = outlier_find(rates, count, verdicts);
	bool are_split = 2 * odd >= count;
	if (odd && are_split)
		report_split(result, phase, rates, count, odd);
	for (uint32_t i = 0; !are_split && i < count; i++)
		if (verdicts[i].is_odd)
			report_outlier(result, phase, &members[i], &verdicts[i], count - 1);
	free(verdicts);
	free(rates);
}

static void report_straggler(struct result *result, const char *code,
			     const struct result_phase *phase, const char *host, const char *who,
			     const struct straggler *straggler, double time_ns)
{
	char time[UNITS_TEXT_SIZE], alike[48] = "";

	if (straggler->alike) /* so that one of many is not taken for the one to blame */
		snprintf(alike, sizeof(alike), ", as did %u more", straggler->alike);
	struct result_finding *finding = findings_add(
		result, code, NULL, phase, host, NULL, NULL,
		"%s took %s for its amount%s, %.2f times the median; the others stood idle for "
		"%.0f %% of the time on average",
		who, units_format_ns(time, time_ns), alike, straggler->factor,
		100 * straggler->loss);
	findings_figure(finding, "time_ns", time_ns);
	findings_figure(finding, "times_median", straggler->factor);
	findings_figure(finding, "loss", straggler->loss);
}

static double rate_of_median(const struct member *members, uint32_t count, uint32_t index)
{
	double *rates = mem_new(count, sizeof(*rates));

	for (uint32_t i = 0; i < count; i++)
		rates[i] = members[i].rate;
	double share = rates[index] / stats_median(rates, count);
	free(rates);
	return share;
}

/* Fixed amounts are alike in a class only: elsewhere `2x ram` may be another amount. */
static bool check_straggler(struct result *result, const struct result_phase *phase,
			    const struct member *members, uint32_t count)
{
	double *times = mem_new(count, sizeof(*times));

	for (uint32_t i = 0; i < count; i++)
		times[i] = members[i].time_ns;
	struct straggler straggler = straggler_find(times, count);
	if (straggler.is_one) {
		report_straggler(result, "STRAGGLER", phase, members[straggler.index].host->host,
				 "the host", &straggler, times[straggler.index]);
		struct result_finding *finding = &result->findings[result->findings_count - 1];
		const struct result_cluster *cluster = phase->cluster;
		findings_figure(finding, "together_ns", (double)cluster->all_active_window_ns);
		findings_figure(finding, "together_bytes_per_s", cluster->all_active_bytes_per_s);
		findings_figure(finding, "span_bytes_per_s", cluster->span_bytes_per_s);
		findings_figure(finding, "rate_of_median",
				rate_of_median(members, count, straggler.index));
	}
	free(times);
	return straggler.is_one;
}

/* The gap is what the straggler does: one fact, one warning. */
static void explain_gap(struct result *result, const struct result_phase *phase)
{
	for (uint32_t f = 0; f < result->findings_count; f++) {
		struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->code, "SUM_OF_AVERAGES_GAP") ||
		    !text_is(finding->phase, phase->name) || finding->trial != phase->trial)
			continue;
		char *evidence =
			mem_format("%s, since not all were at work to the end", finding->evidence);
		free(finding->evidence);
		finding->evidence = evidence;
		free(finding->level);
		finding->level = mem_text("NOTE");
	}
}

/* What a host did while all of its workers were at work: `from` is the latest first submit, `to`
 * the earliest last completion. */
static void add_together(struct result_finding *finding, const struct result_phase *phase,
			 const struct series *series, uint32_t targets, uint32_t workers,
			 uint64_t from, uint64_t to)
{
	uint64_t width = phase->bucket_ns, bytes = 0, operations = 0;

	if (!series || !width || from < phase->start_ns || to <= from)
		return;
	uint64_t first = (from - phase->start_ns + width - 1) / width;
	uint64_t end = (to - phase->start_ns) / width;
	for (uint32_t t = 0; t < targets; t++)
		for (uint64_t b = first; b < end && b < series[t].count; b++) {
			const struct series_bucket *bucket = &series[t].buckets[b];
			bytes += bucket->bytes_read + bucket->bytes_written;
			operations += bucket->operations;
		}
	if (end <= first)
		return;
	struct window_interval window = {0, (end - first) * width};
	findings_figure(finding, "together_ns", (double)window.end_ns);
	findings_figure(finding, "together_bytes_per_s", window_rate(bytes, window));
	findings_figure(finding, "together_iops", window_rate(operations, window));
	findings_figure(finding, "iops_of_a_worker", window_rate(operations, window) / workers);
}

static void check_workers(struct result *result, const struct result_phase *phase,
			  const struct result_phase_host *host, const struct series *series)
{
	uint64_t from = 0, to = UINT64_MAX;

	double *times = mem_new(host->workers_count, sizeof(*times));
	uint32_t *which = mem_new(host->workers_count, sizeof(*which)), count = 0;

	for (uint32_t w = 0; w < host->workers_count; w++) {
		const struct result_worker *worker = &host->workers[w];
		if (!worker->operations || worker->last_completion_ns <= worker->first_submit_ns)
			continue;
		from = worker->first_submit_ns > from ? worker->first_submit_ns : from;
		to = worker->last_completion_ns < to ? worker->last_completion_ns : to;
		which[count] = w;
		times[count++] = (double)(worker->last_completion_ns - worker->first_submit_ns);
	}
	struct straggler straggler = straggler_find(times, count);
	if (straggler.is_one) {
		const struct result_worker *last = &host->workers[which[straggler.index]];
		char *who = mem_format("worker %u on target '%s'", last->worker,
				       text_or(last->target, "?"));
		report_straggler(result, "STRAGGLER_TAIL", phase, host->host, who, &straggler,
				 times[straggler.index]);
		add_together(&result->findings[result->findings_count - 1], phase, series,
			     host->targets_count, count, from, to);
		free(who);
	}
	free(which);
	free(times);
}

void host_rules_check(struct result *result, const struct result_phase *phase,
		      const struct phase_series *series)
{
	uint32_t count, end;

	if (!measured_is_long_enough(result, phase))
		return;
	bool fixed = text_is(phase->cluster->headline, "span");
	struct member *members = members_new(result, phase, &count);
	for (uint32_t from = 0; from < count; from = end) {
		for (end = from + 1; end < count && !compare_classes(&members[from], &members[end]);
		     end++)
			;
		/* With a fixed amount a slow host is the one that is waited for: named once. */
		if (!fixed || !check_straggler(result, phase, &members[from], end - from))
			check_outliers(result, phase, &members[from], end - from);
		else
			explain_gap(result, phase);
	}
	for (uint32_t h = 0; fixed && h < phase->hosts_count; h++)
		check_workers(result, phase, &phase->hosts[h],
			      series && series->series ? series->series[h] : NULL);
	members_free(members, count);
}
