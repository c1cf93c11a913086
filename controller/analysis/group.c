#include "controller/analysis/group.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/window.h"

static void lend(struct group *group, const struct result_phase *phase,
		 const struct phase_series *series, const bool *takes)
{
	uint32_t count = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		if (!takes[h])
			continue;
		group->hosts[count] = h;
		group->phase.hosts[count] = phase->hosts[h];
		if (series && series->series)
			group->series.series[count] = series->series[h];
		if (series && series->latency)
			group->series.latency[count] = series->latency[h];
		if (series && series->response)
			group->series.response[count] = series->response[h];
		if (series && series->syncs)
			group->series.syncs[count] = series->syncs[h];
		count++;
	}
	group->phase.hosts_count = count;
}

void group_init(struct group *group, const struct result_phase *phase,
		const struct phase_series *series, const bool *takes)
{
	uint32_t most = phase->hosts_count;
	const struct result_cluster *whole =
		phase->cluster ? phase->cluster : phase->cluster_partial;

	*group = (struct group){.phase = *phase, .hosts = mem_new(most, sizeof(*group->hosts))};
	group->phase.cluster = group->phase.cluster_partial = NULL;
	group->phase.hosts = mem_new(most, sizeof(*group->phase.hosts));
	if (series && series->series)
		group->series.series = mem_new(most, sizeof(*group->series.series));
	if (series && series->latency)
		group->series.latency = mem_new(most, sizeof(*group->series.latency));
	if (series && series->response)
		group->series.response = mem_new(most, sizeof(*group->series.response));
	if (series && series->syncs)
		group->series.syncs = mem_new(most, sizeof(*group->series.syncs));
	lend(group, phase, series, takes);
	window_compute(&group->phase, &group->series,
		       whole && text_is(whole->headline, "all_active"));
}

static void cluster_free(struct result_cluster *cluster)
{
	if (cluster)
		record_release(&result_cluster_table, cluster);
	free(cluster);
}

void group_release(struct group *group)
{
	cluster_free(group->phase.cluster);
	cluster_free(group->phase.cluster_partial);
	free(group->phase.hosts);
	free(group->series.series);
	free(group->series.latency);
	free(group->series.response);
	free(group->series.syncs);
	free(group->hosts);
}

/* ---- withholding ---- */

static bool is_of(const struct result_finding *finding, const struct result_phase *phase)
{
	return text_is(finding->level, "INVALID") && finding->host &&
	       text_is(finding->phase, phase->name) && finding->trial == phase->trial;
}

/* A host that was stopped with the others did what it did: a part, and true. */
static bool was_only_stopped(const struct result_finding *finding)
{
	return text_is(finding->code, "HOST_STOPPED");
}

/* Answers whether any host of the phase is INVALID by itself. */
static bool find_sound(const struct result *result, const struct result_phase *phase, bool *sound)
{
	bool any = false;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		sound[h] = true;
	for (uint32_t f = 0; f < result->findings_count; f++)
		for (uint32_t h = 0; is_of(&result->findings[f], phase) && h < phase->hosts_count;
		     h++)
			if (text_is(phase->hosts[h].host, result->findings[f].host) &&
			    !was_only_stopped(&result->findings[f])) {
				sound[h] = false;
				any = true;
			}
	return any;
}

static void withhold(struct result_phase *phase, const struct phase_series *series,
		     const bool *sound)
{
	struct group group;

	group_init(&group, phase, series, sound);
	struct result_cluster *rest =
		group.phase.cluster ? group.phase.cluster : group.phase.cluster_partial;
	group.phase.cluster = group.phase.cluster_partial = NULL;
	rest->of = phase->hosts_count;
	cluster_free(phase->cluster);
	cluster_free(phase->cluster_partial);
	phase->cluster = NULL;
	phase->cluster_partial = rest;
	group_release(&group);
}

void group_withhold(struct result *result, const struct result_series *series)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		struct result_phase *phase = &result->phases[p];
		bool *sound = mem_new(phase->hosts_count, sizeof(*sound));
		if ((phase->cluster || phase->cluster_partial) && find_sound(result, phase, sound))
			withhold(phase, series && series->phases ? &series->phases[p] : NULL,
				 sound);
		free(sound);
	}
}
