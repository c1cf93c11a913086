#include "controller/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/name_set.h"
#include "common/units.h"

#define HOSTS_MAX 65536

/* All hosts so far, and where each entry of agents begins among them. */
struct hosts {
	struct name_set names;
	uint32_t *starts;
	uint32_t local; /* numbered over all entries */
	bool too_many;
	bool twice; /* said of the entry under way: a search for each name would take long */
};

static uint32_t entry_of(const struct hosts *hosts, uint32_t entries, const char *name)
{
	uint32_t index = 0, entry = 0;

	while (index < hosts->names.count && strcmp(hosts->names.names[index], name) != 0)
		index++;
	while (entry + 1 < entries && hosts->starts[entry + 1] <= index)
		entry++;
	return entry;
}

static void say_twice(struct plan_check *check, const struct hosts *hosts, uint32_t entry,
		      const char *name)
{
	const struct plan_agents *agents = check->plan->fleet.agents;
	uint32_t first = entry_of(hosts, entry + 1, name);
	const struct record_place *there = record_places_find(check->places, &agents[first]);

	plan_check_error(check,
			 agents[entry].host ? (void *)&agents[entry].host
					    : (void *)&agents[entry].local,
			 &agents[entry],
			 "fleet.agents[%u]: host '%.80s' is in fleet.agents[%u] (line %u) already; "
			 "reports know a host by its name, so a name stands once in a fleet, "
			 "whatever the port",
			 entry, name, first, there ? there->line : 0);
}

/* Takes `name`. */
static void add_host(struct plan_check *check, struct hosts *hosts, uint32_t entry, char *name)
{
	if (hosts->names.count >= HOSTS_MAX) {
		if (!hosts->too_many)
			plan_check_error(check, &check->plan->fleet.agents[entry], NULL,
					 "fleet.agents[%u]: the fleet has more than %d hosts here",
					 entry, HOSTS_MAX);
		hosts->too_many = true;
		free(name);
		return;
	}
	char *copy = mem_text(name);
	if (!name_set_add(&hosts->names, name) && !hosts->twice) {
		say_twice(check, hosts, entry, copy);
		hosts->twice = true;
	}
	free(copy);
}

static void add_hosts(struct plan_check *check, struct hosts *hosts, uint32_t entry)
{
	const struct plan_agents *agents = &check->plan->fleet.agents[entry];
	struct nodeset set = {0};
	struct error err = {0};

	hosts->starts[entry] = hosts->names.count;
	hosts->twice = false;
	for (uint32_t i = 0; i < agents->local && !hosts->too_many; i++)
		add_host(check, hosts, entry, mem_format("local%u", ++hosts->local));
	if (!agents->host || hosts->too_many)
		return;
	if (nodeset_parse(&set, agents->host, &err) < 0) {
		plan_check_error(check, &agents->host, agents, "fleet.agents[%u].host: %s", entry,
				 err.text);
		return;
	}
	for (uint32_t i = 0; i < set.count && !hosts->too_many; i++)
		add_host(check, hosts, entry, mem_text(set.names[i]));
	nodeset_release(&set);
}

static void check_kind(struct plan_check *check, uint32_t entry)
{
	const struct plan_agents *agents = &check->plan->fleet.agents[entry];
	bool local = plan_check_is_written(check, &agents->local);

	if (!plan_check_is_sound(check, agents))
		return;
	if (agents->host && local)
		plan_check_error(check, &agents->local, agents,
				 "fleet.agents[%u]: both host and local; an entry has one of them",
				 entry);
	else if (!agents->host && !local)
		plan_check_error(check, agents, NULL,
				 "fleet.agents[%u]: neither host nor local; give {host: NAMES}, or "
				 "{local: 2} for agents that muster starts itself",
				 entry);
	else if (local && plan_check_is_written(check, &agents->port))
		plan_check_error(check, &agents->port, agents,
				 "fleet.agents[%u].port: local agents take free ports of the "
				 "loopback; leave it out",
				 entry);
	else if (local && agents->key)
		plan_check_error(check, &agents->key, agents,
				 "fleet.agents[%u].key: local agents get keys for once; leave it "
				 "out",
				 entry);
	else if (agents->host && agents->spool)
		plan_check_error(check, &agents->spool, agents,
				 "fleet.agents[%u].spool: only local agents are told where; on a "
				 "host its agent.yaml says it",
				 entry);
	else if (agents->spool && agents->scratch)
		plan_check_error(check, &agents->scratch, agents,
				 "fleet.agents[%u].scratch: with spool, the scratch of each agent "
				 "is in there, so that it stays as well; leave one of them out",
				 entry);
	else if (agents->host && agents->scratch)
		plan_check_error(check, &agents->scratch, agents,
				 "fleet.agents[%u].scratch: only local agents are told where; on a "
				 "host its agent.yaml says it",
				 entry);
}

static void check_cpus(struct plan_check *check, uint32_t entry)
{
	char path[64];

	snprintf(path, sizeof(path), "fleet.agents[%u].cpus", entry);
	plan_check_cpus(check, &check->plan->fleet.agents[entry].cpus, path);
}

static void check_override_names(struct plan_check *check, uint32_t entry)
{
	const struct plan *plan = check->plan;
	const struct plan_agents *agents = &plan->fleet.agents[entry];
	const char **names = mem_new(plan->targets_count, sizeof(*names));
	char hint[PLAN_CHECK_HINT];

	for (uint32_t i = 0; i < plan->targets_count; i++)
		names[i] = plan->targets[i].name;
	for (uint32_t i = 0; plan->targets_count > 0 && i < agents->targets_count; i++) {
		const struct target *override = &agents->targets[i];
		bool known = !override->name;
		for (uint32_t k = 0; k < plan->targets_count; k++)
			known = known || (names[k] && strcmp(names[k], override->name) == 0);
		if (!known)
			plan_check_error(
				check, override, NULL,
				"fleet.agents[%u].targets: the plan has no target "
				"'%.80s'%s",
				entry, override->name,
				plan_check_hint(hint, override->name, names, plan->targets_count));
	}
	free(names);
}

static void check_silence(struct plan_check *check)
{
	const struct plan_fleet *fleet = &check->plan->fleet;
	char suspect[UNITS_TEXT_SIZE], dead[UNITS_TEXT_SIZE];

	if (fleet->dead_after == 0 || fleet->suspect_after < fleet->dead_after)
		return;
	bool written = plan_check_is_written(check, &fleet->suspect_after);
	plan_check_error(check, written ? &fleet->suspect_after : &fleet->dead_after, fleet,
			 "fleet.suspect_after: %s%s is not below dead_after, %s; a host is "
			 "suspected before it counts as lost",
			 units_format_ns(suspect, (double)fleet->suspect_after),
			 written ? "" : " (unless set)",
			 units_format_ns(dead, (double)fleet->dead_after));
}

void plan_check_fleet(struct plan_check *check)
{
	const struct plan_fleet *fleet = &check->plan->fleet;
	struct hosts hosts = {.starts = mem_new(fleet->agents_count, sizeof(*hosts.starts))};

	for (uint32_t i = 0; i < fleet->agents_count; i++) {
		check_kind(check, i);
		add_hosts(check, &hosts, i);
		check_cpus(check, i);
		check_override_names(check, i);
	}
	check_silence(check);
	name_set_release(&hosts.names);
	free(hosts.starts);
}
