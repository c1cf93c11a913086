#include "controller/replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"

/* How long a phase without a runtime can have been, for the buckets that its hosts may name. */
#define LONGEST_NS (7 * 24 * 3600 * NS_PER_S)
#define SLACK_NS   (300 * NS_PER_S)

int replay_check(const struct journal_content *content, const struct plan *plan,
		 const struct plan_hosts *hosts, struct error *err)
{
	error_set(err, ERROR_USAGE, "the journal is not of this plan: plan.yaml was changed");
	/* Killed before the hosts were joined: nothing was measured. */
	if (content->hosts_count && content->hosts_count != hosts->count)
		return -1;
	for (uint32_t h = 0; h < content->hosts_count; h++)
		if (strcmp(content->hosts[h].name, hosts->hosts[h].name) != 0)
			return -1;
	for (uint32_t p = 0; p < content->phases_count; p++)
		if (content->phases[p].begun.phase >= plan->phases_count)
			return -1;
	return 0;
}

void replay_fleet(struct fleet *fleet, const struct journal_content *content,
		  const struct plan_hosts *hosts, const struct keyring *keyring)
{
	*fleet = (struct fleet){.count = hosts->count, .recorded = &content->clocks};
	fleet->hosts = mem_new(hosts->count, sizeof(*fleet->hosts));
	for (uint32_t h = 0; h < hosts->count; h++) {
		fleet->hosts[h].plan = &hosts->hosts[h];
		fleet->hosts[h].keys = &keyring->hosts[h];
		fleet->hosts[h].status = FLEET_STATUS_LEASED;
		if (h < content->hosts_count)
			fleet->hosts[h].facts = content->hosts[h].facts;
	}
}

void replay_fleet_release(struct fleet *fleet)
{
	for (uint32_t h = 0; h < fleet->count; h++)
		disruptions_release(&fleet->hosts[h].disruptions);
	free(fleet->hosts);
	*fleet = (struct fleet){0};
}

/* Everything is lent to the host but its borders, and what is new of its clock. */
static void lend(struct fleet_host *host, const struct journal_answer *answer)
{
	host->in_phase = true;
	host->status = answer->is_lost ? FLEET_STATUS_LOST : FLEET_STATUS_LEASED;
	host->why = answer->why;
	host->lost_ns = answer->lost_ns;
	host->silence_ns = answer->silence_ns;
	host->is_started = answer->is_started;
	host->is_stopped = answer->is_stopped;
	host->is_ready = answer->ready != NULL;
	host->is_failed = answer->failed != NULL;
	host->is_done = answer->done != NULL;
	if (answer->ready)
		host->ready = *answer->ready;
	if (answer->failed)
		host->failed = *answer->failed;
	if (answer->done)
		host->done = *answer->done;
	for (uint32_t i = 0; i < answer->disruptions_count; i++)
		disruptions_add(&host->disruptions, &answer->disruptions[i]);
	host->disruptions.dropped += answer->disruptions_dropped;
	for (uint32_t b = 0; b < answer->borders_count; b++) {
		struct border *border = RECORD_APPEND(host->borders, host->borders_count);
		*border = (struct border){.from = answer->borders[b].from,
					  .at_ns = answer->borders[b].at_ns,
					  .drift_ppb = answer->borders[b].drift_ppb};
	}
}

static void take_back(struct fleet_host *host)
{
	const struct plan_host *plan = host->plan;
	const struct keyring_host *keys = host->keys;
	struct leased facts = host->facts;

	/* What it told of its clock counts on. */
	struct disruptions disruptions = host->disruptions;
	free(host->borders);
	*host = (struct fleet_host){.plan = plan,
				    .keys = keys,
				    .facts = facts,
				    .status = FLEET_STATUS_LEASED,
				    .disruptions = disruptions};
}

static void lend_all(struct fleet *fleet, const struct journal_phase *phase)
{
	for (uint32_t h = 0; h < fleet->count; h++) {
		struct fleet_host *host = &fleet->hosts[h];
		const struct journal_answer *answer = journal_answer_of(phase, h);
		if (answer) {
			lend(host, answer);
			continue;
		}
		host->in_phase = true;
		host->status = FLEET_STATUS_LOST;
		host->why = (char *)"the controller ended in this phase, and nothing of the host's "
				    "part has been collected yet";
		host->lost_ns = phase->start_ns;
	}
}

static uint64_t until(const struct journal_phase *journal, const struct phase *phase)
{
	uint64_t length = phase->runtime ? phase->ramp + phase->runtime : LONGEST_NS;

	return journal->start_ns + length + SLACK_NS;
}

static void replay_phase(struct collect *collect, struct fleet *fleet,
			 const struct journal_phase *journal, const struct plan *plan)
{
	const struct phase *phase = &plan->phases[journal->begun.phase];

	fleet->phase = journal->begun.number;
	fleet->attempt = journal->begun.attempt;
	lend_all(fleet, journal);
	collect_begin(collect, fleet, plan, phase, journal->begun.trial, false);
	collect->start_ns = journal->start_ns;
	collect->until_ns = until(journal, phase);
	for (uint32_t i = 0; i < journal->series_count; i++)
		collect_timeline(collect, journal->series[i].host, &journal->series[i].buckets);
	collect_end(collect, fleet);
	collect->until_ns = 0;
	for (uint32_t h = 0; h < fleet->count; h++)
		take_back(&fleet->hosts[h]);
}

void replay_phases(struct collect *collect, struct fleet *fleet,
		   const struct journal_content *content, const struct plan *plan, uint32_t trials)
{
	for (uint32_t p = 0; p < content->phases_count; p++)
		if (content->phases[p].begun.trial <= trials)
			replay_phase(collect, fleet, &content->phases[p], plan);
}
