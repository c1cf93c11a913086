#include "controller/plan_warn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/sanity_rules.h"

/* The rules look at one host with its own targets. */
static void look(struct result *found, const struct plan *plan, const struct plan_host *host,
		 const struct result_host *about)
{
	struct plan own = *plan;
	struct result_host bare = {.host = host->name, .expect = host->agents->expect};
	struct result result = *found;

	own.targets = host->targets;
	own.targets_count = host->targets_count;
	if (about)
		bare.memory_bytes = about->memory_bytes;
	result.plan = &own;
	result.hosts = &bare;
	result.hosts_count = 1;
	sanity_rules_check_plan(&result);
	found->findings = result.findings;
	found->findings_count = result.findings_count;
}

static bool is_same(const struct result_finding *a, const struct result_finding *b)
{
	return text_is(a->code, b->code) && text_is(text_or(a->phase, ""), text_or(b->phase, ""));
}

/* One line for all hosts that show the same. */
static uint32_t say(const struct result *found)
{
	uint32_t said = 0;

	for (uint32_t f = 0; f < found->findings_count; f++) {
		const struct result_finding *finding = &found->findings[f];
		uint32_t first = 0, others = 0;
		while (!is_same(&found->findings[first], finding))
			first++;
		if (first < f || text_is(finding->level, "NOTE"))
			continue;
		for (uint32_t o = f + 1; o < found->findings_count; o++)
			others += is_same(&found->findings[o], finding);
		char *place = findings_place(finding);
		char more[48] = "";
		if (others)
			snprintf(more, sizeof(more), " (and %u more of the kind)", others);
		log_warning("%s, %s: %s%s; %s", finding->code, place, finding->evidence, more,
			    text_or(finding->advice, "see muster explain"));
		free(place);
		said++;
	}
	return said;
}

static uint32_t warn_of_lengths(const struct plan *plan)
{
	uint32_t said = 0;

	for (uint32_t p = 0; p < plan->phases_count; p++) {
		const struct phase *phase = &plan->phases[p];
		if (!phase->runtime || phase->runtime > plan->min_window)
			continue;
		log_warning("phase '%s' runs for %.9g s, and min_window wants a window of %.9g s: "
			    "it will be TOO_SHORT; raise runtime or lower min_window",
			    phase->name, (double)phase->runtime / 1e9,
			    (double)plan->min_window / 1e9);
		said++;
	}
	return said;
}

/* Of a bare IPv6 address, decimal digits behind the last colon that would be a port of a service:
 * "2001:db8::1:9000". Every one is an address; who wrote it may have meant another. */
static const char *ambiguous_port(const char *item, size_t length)
{
	size_t port = length;
	uint32_t colons = 0;

	while (port > 0 && isdigit((unsigned char)item[port - 1]))
		port--;
	for (size_t i = 0; i < length; i++)
		colons += item[i] == ':';
	bool bare = item[0] != '[' && colons > 1;
	return bare && port > 0 && item[port - 1] == ':' && length - port == 4 ? &item[port] : NULL;
}

static void find_ports(struct result *found, const char *hosts)
{
	static const char between[] = ", \t";

	for (const char *item = hosts; *item; item += strspn(item, between)) {
		size_t length = strcspn(item, between);
		const char *port = ambiguous_port(item, length);
		if (port)
			findings_add(found, "AMBIGUOUS_PORT", NULL, NULL, NULL, NULL, NULL,
				     "host '%.*s' is taken for an address that ends in %.4s; as a "
				     "port it is none",
				     (int)length, item, port);
		item += length;
	}
}

static const struct target *kept(const struct plan_host *host)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (host->targets[t].keep)
			return &host->targets[t];
	return NULL;
}

/* Once: it is the same of all of them. */
static uint32_t warn_of_forgotten(const struct plan_hosts *hosts)
{
	for (uint32_t h = 0; h < hosts->count; h++) {
		const struct plan_host *host = &hosts->hosts[h];
		if (!host->local || host->agents->spool || !kept(host))
			continue;
		log_warning("target '%s' is kept, and the local agents forget with the run that it "
			    "is theirs: a later run will neither use nor remove it; give them a "
			    "directory that stays, fleet.agents: [{local: %u, spool: DIRECTORY}]",
			    kept(host)->name, host->agents->local);
		return 1;
	}
	return 0;
}

uint32_t plan_warn(const struct plan *plan, const struct result_host *hosts, uint32_t count)
{
	struct result found = {0};
	struct plan_hosts expanded;
	const struct result known = {.hosts = (struct result_host *)hosts, .hosts_count = count};
	uint32_t said = warn_of_lengths(plan);

	for (uint32_t a = 0; a < plan->fleet.agents_count; a++)
		find_ports(&found, text_or(plan->fleet.agents[a].host, ""));
	plan_hosts_expand(&expanded, plan);
	for (uint32_t h = 0; h < expanded.count; h++)
		look(&found, plan, &expanded.hosts[h],
		     result_find_host(&known, h, expanded.hosts[h].name));
	said += warn_of_forgotten(&expanded);
	plan_hosts_release(&expanded);
	said += say(&found);
	record_release(&result_table, &found);
	return said;
}
