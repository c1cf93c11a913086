/* The plan, host by host. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/plan.h"

static const struct target *find_target(const struct target *targets, uint32_t count,
					const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(targets[i].name, name) == 0)
			return &targets[i];
	return NULL;
}

static void take_targets(struct plan_host *host, const struct plan *plan)
{
	const struct plan_agents *agents = host->agents;

	host->targets = mem_new(plan->targets_count, sizeof(*host->targets));
	host->targets_count = plan->targets_count;
	for (uint32_t i = 0; i < plan->targets_count; i++) {
		const struct target *own =
			find_target(agents->targets, agents->targets_count, plan->targets[i].name);
		record_copy(&target_table, &host->targets[i], own ? own : &plan->targets[i]);
	}
}

/* Takes `name`. */
static void add_host(struct plan_hosts *hosts, const struct plan *plan,
		     const struct plan_agents *agents, char *name)
{
	struct plan_host *host = RECORD_APPEND(hosts->hosts, hosts->count);

	host->name = name;
	host->agents = agents;
	host->local = agents->local > 0;
	take_targets(host, plan);
}

void plan_hosts_expand(struct plan_hosts *hosts, const struct plan *plan)
{
	uint32_t local = 0;

	*hosts = (struct plan_hosts){0};
	for (uint32_t i = 0; i < plan->fleet.agents_count; i++) {
		const struct plan_agents *agents = &plan->fleet.agents[i];
		struct nodeset set = {0};
		struct error err = {0};
		for (uint32_t k = 0; k < agents->local; k++)
			add_host(hosts, plan, agents, mem_format("local%u", ++local));
		/* A plan that was checked parses; a set that does not has no hosts. */
		if (!agents->host || nodeset_parse(&set, agents->host, &err) < 0)
			continue;
		for (uint32_t k = 0; k < set.count; k++)
			add_host(hosts, plan, agents, mem_text(set.names[k]));
		nodeset_release(&set);
	}
}

void plan_hosts_release(struct plan_hosts *hosts)
{
	for (uint32_t i = 0; i < hosts->count; i++) {
		struct plan_host *host = &hosts->hosts[i];
		for (uint32_t k = 0; k < host->targets_count; k++)
			record_release(&target_table, &host->targets[k]);
		free(host->targets);
		free(host->name);
	}
	free(hosts->hosts);
	*hosts = (struct plan_hosts){0};
}

const struct target *plan_host_target(const struct plan_host *host, const char *name)
{
	return find_target(host->targets, host->targets_count, name);
}
