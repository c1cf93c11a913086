#include "controller/analysis/timeline_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/analysis/measured.h"
#include "controller/analysis/model.h"
#include "controller/analysis/timeline.h"
#include "controller/analysis/window.h"

#define HOSTS_NAMED 8 /* more than these share one finding */

enum kind { STALL, DIP, DOWN, UP, STILL, DIPS, UNSTEADY, ALIASED, KINDS };

static const char *const codes[KINDS] = {
	[STALL] = "PERIODIC_STALL", [DIP] = "PERIODIC_DIP",
	[DOWN] = "STEP_DOWN",       [UP] = "STEP_UP",
	[STILL] = "STALL",          [DIPS] = "DIPS",
	[UNSTEADY] = "NOT_STEADY",  [ALIASED] = "STEADINESS_UNKNOWN",
};

#define FIGURES 8

/* One series that shows something. */
struct sighting {
	uint32_t host; /* index; UINT32_MAX: the sum */
	char *evidence;
	struct {
		const char *name; /* NULL: no more */
		double value;
	} figures[FIGURES];
};

struct sightings {
	struct sighting *list[KINDS];
	uint32_t counts[KINDS];
};

static void see(struct sightings *sightings, enum kind kind, const struct sighting *sighting)
{
	struct sighting *s = RECORD_APPEND(sightings->list[kind], sightings->counts[kind]);

	*s = *sighting;
}

/* ---- words ---- */

struct scene {
	const struct result_phase *phase;
	uint64_t first; /* bucket of the phase with which the timelines begin */
	uint32_t count;
};

static double rate(const struct scene *scene, double per_bucket)
{
	return per_bucket * (double)NS_PER_S / (double)scene->phase->bucket_ns;
}

static const char *shape_of(const struct periodic *p)
{
	if (p->is_square)
		return ", as a square wave";
	if (p->skew <= -PERIODIC_SAWTOOTH_SKEW)
		return ", rising slowly and falling at once";
	return p->skew >= PERIODIC_SAWTOOTH_SKEW ? ", falling slowly and rising at once" : "";
}

static char *describe_period(const struct scene *scene, const struct timeline_verdict *verdict)
{
	const struct periodic *p = &verdict->periodic;
	char period[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE];

	units_format_ns(period, verdict->period_ns);
	units_format_rate(high, rate(scene, p->split.high));
	units_format_rate(low, rate(scene, p->split.low));
	return mem_format(
		"throughput comes and goes every %s%s: low for %.1f %% of the time, %s "
		"then and %s otherwise (%.0f %% less); the mean is %.2f of the high level",
		period, shape_of(p), 100 * (1 - p->split.duty), low, high, 100 * p->split.depth,
		p->split.high > 0 ? p->mean / p->split.high : NAN);
}

static double instant_ns(const struct scene *scene, const struct step *step)
{
	return (double)(scene->first + step->at) * (double)scene->phase->bucket_ns;
}

/* `other`: one more of the kind, of `others`; NULL: none. */
static char *describe_step(const struct scene *scene, const struct step *step,
			   const struct step *other, uint32_t others)
{
	char at[UNITS_TEXT_SIZE], before[UNITS_TEXT_SIZE], after[UNITS_TEXT_SIZE], more[96] = "";

	if (other)
		snprintf(more, sizeof(more), "; %u more of the kind, one %s into the phase", others,
			 units_format_ns(at, instant_ns(scene, other)));
	units_format_ns(at, instant_ns(scene, step));
	units_format_rate(before, rate(scene, step->before));
	units_format_rate(after, rate(scene, step->after));
	return mem_format("%s into the phase it went from %s to %s, %.0f %% of the level before%s",
			  at, before, after,
			  step->before > 0 ? 100 * step->after / step->before : NAN, more);
}

static char *describe_steady(const struct scene *scene, const struct steady *steady)
{
	char chunk[STEADY_CHUNKS][UNITS_TEXT_SIZE];

	for (int i = 0; i < STEADY_CHUNKS; i++)
		units_format_rate(chunk[i], rate(scene, steady->chunks[i]));
	return mem_format(
		"five equal parts of the window moved %s, %s, %s, %s and %s: their range "
		"is %.1f %% of the mean (at most 20 %%), the fitted change over the window "
		"%+.1f %% (at most 10 %%)",
		chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], 100 * steady->range,
		100 * steady->excursion);
}

static char *describe_alias(const struct scene *scene, const struct timeline_verdict *verdict)
{
	char period[UNITS_TEXT_SIZE], window[UNITS_TEXT_SIZE];

	units_format_ns(period, verdict->period_ns);
	units_format_ns(window, (double)(scene->count * scene->phase->bucket_ns));
	return mem_format("a fifth of the window of %s holds fewer than three periods of %s, so "
			  "whether it was steady cannot be said",
			  window, period);
}

static char *describe_gaps(const struct scene *scene, const struct timeline_gaps *gaps,
			   const char *what)
{
	uint64_t width = scene->phase->bucket_ns;
	char longest[UNITS_TEXT_SIZE], at[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE];

	return mem_format("%s %u time%s, %.1f %% of the window, %s in all; the longest time for "
			  "%s, %s into the phase",
			  what, gaps->count, gaps->count == 1 ? "" : "s",
			  100.0 * gaps->buckets / scene->count,
			  units_format_ns(all, (double)(gaps->buckets * width)),
			  units_format_ns(longest, (double)(gaps->longest * width)),
			  units_format_ns(at, (double)((scene->first + gaps->at) * width)));
}

/* ---- sightings ---- */

/* The largest step each way, once. */
static void see_steps(struct sightings *sightings, const struct scene *scene, uint32_t host,
		      const struct timeline_verdict *verdict)
{
	const struct step *largest[2] = {NULL, NULL}, *other[2] = {NULL, NULL};
	uint32_t counts[2] = {0, 0};

	for (uint32_t s = 0; s < verdict->steps_count; s++) {
		const struct step *step = &verdict->steps[s];
		bool up = step->after > step->before;
		bool is_larger =
			!counts[up]++ || step_size(step->before, step->after) >
						 step_size(largest[up]->before, largest[up]->after);
		other[up] = is_larger ? largest[up] : step;
		if (is_larger)
			largest[up] = step;
	}
	for (int up = 0; up < 2; up++) {
		const struct step *step = largest[up];
		if (!step)
			continue;
		see(sightings, up ? UP : DOWN,
		    &(struct sighting){
			    .host = host,
			    .evidence = describe_step(scene, step, other[up], counts[up] - 1),
			    .figures = {{"at_ns", instant_ns(scene, step)},
					{"before_bytes_per_s", rate(scene, step->before)},
					{"after_bytes_per_s", rate(scene, step->after)},
					{other[up] ? "other_at_ns" : NULL,
					 other[up] ? instant_ns(scene, other[up]) : 0}}});
	}
}

static void see_period(struct sightings *sightings, const struct scene *scene, uint32_t host,
		       const struct timeline_verdict *verdict)
{
	const struct periodic *p = &verdict->periodic;

	see(sightings, p->is_dip ? DIP : STALL,
	    &(struct sighting){.host = host,
			       .evidence = describe_period(scene, verdict),
			       .figures = {{"period_ns", verdict->period_ns},
					   {"duty", p->split.duty},
					   {"depth", p->split.depth},
					   {"high_bytes_per_s", rate(scene, p->split.high)}}});
}

static void see_gaps(struct sightings *sightings, const struct scene *scene, uint32_t host,
		     enum kind kind, const struct timeline_gaps *gaps, const char *what)
{
	uint64_t width = scene->phase->bucket_ns;

	if (gaps->count)
		see(sightings, kind,
		    &(struct sighting){
			    .host = host,
			    .evidence = describe_gaps(scene, gaps, what),
			    .figures = {{"times", gaps->count},
					{"longest_ns", (double)(gaps->longest * width)},
					{"at_ns", (double)((scene->first + gaps->at) * width)},
					{"in_all_ns", (double)(gaps->buckets * width)}}});
}

static void see_verdict(struct sightings *sightings, const struct scene *scene, uint32_t host,
			const struct timeline_verdict *verdict)
{
	if (verdict->has_period)
		see_period(sightings, scene, host, verdict);
	see_steps(sightings, scene, host, verdict);
	see_gaps(sightings, scene, host, STILL, &verdict->stalls,
		 "throughput stood still (under 5 % of the median)");
	see_gaps(sightings, scene, host, DIPS, &verdict->dips,
		 "throughput was at or under half of the median");
	if (verdict->steadiness == TIMELINE_STEADINESS_NO)
		see(sightings, UNSTEADY,
		    &(struct sighting){.host = host,
				       .evidence = describe_steady(scene, &verdict->steady),
				       .figures = {{"range", verdict->steady.range},
						   {"excursion", verdict->steady.excursion}}});
	if (verdict->steadiness == TIMELINE_STEADINESS_ALIASED)
		see(sightings, ALIASED,
		    &(struct sighting){.host = host,
				       .evidence = describe_alias(scene, verdict),
				       .figures = {{"period_ns", verdict->period_ns}}});
}

/* ---- series ---- */

/* The part of the all-active window in which every worker that did anything was at work: with a
 * fixed amount for each, throughput falls as they end, and no storage tires by that. */
static bool find_scene(const struct result_phase *phase, struct scene *scene)
{
	const struct result_cluster *cluster = phase->cluster;
	uint64_t from = cluster->all_active_start_ns;
	uint64_t to = from + cluster->all_active_window_ns, width = phase->bucket_ns;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t w = 0; w < phase->hosts[h].workers_count; w++) {
			const struct result_worker *worker = &phase->hosts[h].workers[w];
			if (!worker->operations)
				continue;
			if (worker->first_submit_ns > from)
				from = worker->first_submit_ns;
			if (worker->last_completion_ns < to)
				to = worker->last_completion_ns;
		}
	if (!width || from < phase->start_ns || to <= from)
		return false;
	uint64_t first = (from - phase->start_ns + width - 1) / width;
	uint64_t end = (to - phase->start_ns) / width;
	*scene = (struct scene){.phase = phase, .first = first};
	scene->count = end > first && end - first < UINT32_MAX ? (uint32_t)(end - first) : 0;
	return scene->count > 0;
}

/* Adds to `bytes`; answers the operations. */
static double add_host(const struct scene *scene, const struct phase_series *series, uint32_t h,
		       double *bytes)
{
	double operations = 0;

	for (uint32_t t = 0; t < scene->phase->hosts[h].targets_count; t++) {
		const struct series *own = &series->series[h][t];
		for (uint32_t b = 0; b < scene->count && scene->first + b < own->count; b++) {
			const struct series_bucket *bucket = &own->buckets[scene->first + b];
			bytes[b] += (double)(bucket->bytes_read + bucket->bytes_written);
			operations += (double)bucket->operations;
		}
	}
	return operations;
}

static struct timeline_verdict judge(const struct scene *scene, const double *bytes,
				     double operations, double in_flight)
{
	return timeline_judge(&(struct timeline){
		.samples = bytes,
		.count = scene->count,
		.bucket_ns = scene->phase->bucket_ns,
		.operations = operations / scene->count,
		.in_flight = in_flight,
	});
}

/* Host by host, so that one series more than the sum is held, however many there are. */
static void look(const struct scene *scene, const struct phase_series *series, double in_flight,
		 struct sightings *sightings)
{
	double *sum = mem_new(scene->count, sizeof(*sum)), all = 0, all_in_flight = 0;
	double *own = mem_new(scene->count, sizeof(*own));
	struct timeline_verdict verdict;

	for (uint32_t h = 0; h < scene->phase->hosts_count; h++) {
		for (uint32_t b = 0; b < scene->count; b++)
			own[b] = 0;
		double operations = add_host(scene, series, h, own);
		double flying = in_flight * scene->phase->hosts[h].targets_count;
		for (uint32_t b = 0; b < scene->count; b++)
			sum[b] += own[b];
		all += operations;
		all_in_flight += flying;
		verdict = judge(scene, own, operations, flying);
		see_verdict(sightings, scene, h, &verdict);
	}
	verdict = judge(scene, sum, all, all_in_flight);
	see_verdict(sightings, scene, UINT32_MAX, &verdict);
	free(own);
	free(sum);
}

/* False: there is no window. */
static bool judge_one(const struct result *result, const struct result_phase *phase,
		      const struct phase_series *series, uint32_t host,
		      struct timeline_verdict *verdict)
{
	double in_flight = measured_in_flight(result, phase), operations = 0, flying = 0;
	struct scene scene;

	if (!series || !series->series || !find_scene(phase, &scene))
		return false;
	double *bytes = mem_new(scene.count, sizeof(*bytes));
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		if (host != UINT32_MAX && host != h)
			continue;
		operations += add_host(&scene, series, h, bytes);
		flying += in_flight * phase->hosts[h].targets_count;
	}
	*verdict = judge(&scene, bytes, operations, flying);
	free(bytes);
	return true;
}

/* Why nothing can be said: a part must be long, and hold enough. */
static const char *lack_of_steadiness(const struct result_phase *phase)
{
	struct scene scene;

	if (!find_scene(phase, &scene) ||
	    scene.count / STEADY_CHUNKS * phase->bucket_ns < TIMELINE_LEAST_CHUNK_NS)
		return "the window is too short for five parts of five seconds";
	return "a fifth of the window has fewer than ten buckets, or too few operations in them";
}

double timeline_rules_steadiness(const struct result *result, const struct result_phase *phase,
				 const struct phase_series *series, uint32_t host,
				 const char **lack)
{
	struct timeline_verdict verdict;

	*lack = NULL;
	if (!phase->cluster)
		return NAN;
	*lack = "its timeline is missing";
	if (!series || !series->series)
		return NAN;
	*lack = lack_of_steadiness(phase);
	if (!judge_one(result, phase, series, host, &verdict) ||
	    verdict.steadiness == TIMELINE_STEADINESS_UNKNOWN)
		return NAN;
	*lack = "a fifth of the window holds fewer than three periods of the stall";
	if (verdict.steadiness == TIMELINE_STEADINESS_ALIASED)
		return NAN;
	*lack = NULL;
	return fmax(verdict.steady.range, 2 * fabs(verdict.steady.excursion));
}

/* ---- findings ---- */

static void add(struct result *result, const struct result_phase *phase, enum kind kind,
		const struct sighting *sighting, const char *host, const char *before,
		const char *after)
{
	struct result_finding *finding =
		findings_add(result, codes[kind], NULL, phase, host, NULL, NULL, "%s%s%s", before,
			     sighting->evidence, after);

	for (int f = 0; f < FIGURES && sighting->figures[f].name; f++)
		findings_figure(finding, sighting->figures[f].name, sighting->figures[f].value);
}

/* Whether a target of the host is on ZFS, as far as it is known. */
static bool is_on_zfs(const struct result *result, const struct result_phase_host *host)
{
	struct known known = known_of(result, result_find_host(result, 0, host->host));

	for (uint32_t t = 0; t < host->targets_count; t++) {
		const struct result_target *target = &host->targets[t];
		const struct fact_storage *storage = known_storage(&known, target->target);
		if ((target->file_system && strstr(target->file_system, "zfs")) ||
		    (storage && storage->level >= FACT_LEVEL_RAIDZ1))
			return true;
	}
	return false;
}

/* How often OpenZFS would sync a transaction group of what the first such host writes: only a
 * possibility, to be held against the period that was found. NAN: no host is on ZFS. */
static double txg_period_s(const struct result *result, const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		const struct result_host *about = result_find_host(result, h, host->host);
		uint64_t written = 0;
		if (!about || !about->memory_bytes || !is_on_zfs(result, host))
			continue;
		for (uint32_t t = 0; t < host->targets_count; t++)
			written += host->targets[t].bytes_written;
		double rate = window_rate(written, window_host_interval(phase, host));
		if (rate > 0)
			return model_txg_period_s((double)about->memory_bytes, rate);
	}
	return NAN;
}

static void hint_at_txg(struct result *result, const struct result_phase *phase,
			struct sighting *sighting)
{
	double period_ns = txg_period_s(result, phase) * 1e9;
	char text[UNITS_TEXT_SIZE];

	if (isnan(period_ns))
		return;
	char *longer = mem_format("%s; OpenZFS by its own settings would sync a transaction group "
				  "every %s at this rate and memory",
				  sighting->evidence, units_format_ns(text, period_ns));
	free(sighting->evidence);
	sighting->evidence = longer;
	for (int f = 0; f < FIGURES; f++)
		if (!sighting->figures[f].name) {
			sighting->figures[f].name = "txg_period_ns";
			sighting->figures[f].value = period_ns;
			break;
		}
}

/* The sum's sighting is the last. */
static void report(struct result *result, const struct result_phase *phase, enum kind kind,
		   const struct sighting *list, uint32_t count)
{
	bool in_sum = count && list[count - 1].host == UINT32_MAX;
	uint32_t hosts = in_sum ? count - 1 : count;
	const char *first = hosts ? phase->hosts[list[0].host].host : "";
	char *text = NULL;

	if (phase->hosts_count == 1) {
		add(result, phase, kind, &list[0], phase->hosts[0].host, "", "");
	} else if (in_sum) {
		text = mem_format("; %u of %u hosts show it by themselves%s%s%s", hosts,
				  phase->hosts_count, hosts ? ", first '" : "", first,
				  hosts ? "'" : "");
		add(result, phase, kind, &list[count - 1], NULL, "", text);
	} else if (hosts > HOSTS_NAMED) {
		text = mem_format("on %u of %u hosts, though not in their sum; on '%s' ", hosts,
				  phase->hosts_count, first);
		add(result, phase, kind, &list[0], NULL, text, "");
	} else {
		for (uint32_t i = 0; i < hosts; i++)
			add(result, phase, kind, &list[i], phase->hosts[list[i].host].host, "", "");
	}
	free(text);
}

void timeline_rules_check(struct result *result, const struct result_phase *phase,
			  const struct phase_series *series)
{
	struct sightings sightings = {0};
	struct scene scene;

	if (!phase->cluster || !series || !series->series || !find_scene(phase, &scene) ||
	    scene.count * phase->bucket_ns < result->min_window_ns)
		return;
	look(&scene, series, measured_in_flight(result, phase), &sightings);
	for (uint32_t i = 0; i < sightings.counts[STALL]; i++)
		hint_at_txg(result, phase, &sightings.list[STALL][i]);
	for (int kind = 0; kind < KINDS; kind++) {
		if (sightings.counts[kind])
			report(result, phase, kind, sightings.list[kind], sightings.counts[kind]);
		for (uint32_t i = 0; i < sightings.counts[kind]; i++)
			free(sightings.list[kind][i].evidence);
		free(sightings.list[kind]);
	}
}
