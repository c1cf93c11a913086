/* The targets of a plan as one host has them, and which of them hold bytes of which. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/plan_check.h"

int plan_scope_find(const struct plan_scope *scope, const char *name)
{
	for (uint32_t i = 0; name && i < scope->count; i++)
		if (scope->names[i] && strcmp(scope->names[i], name) == 0)
			return (int)i;
	return -1;
}

static void take_plans(struct plan_scope *scope, const struct plan_check *check)
{
	const struct plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->targets_count; i++) {
		scope->targets[i] = &plan->targets[i];
		scope->names[i] = plan->targets[i].name;
		scope->paths[i] = mem_format("targets.%.80s", scope->names[i]);
		scope->sound[i] = plan_check_is_sound(check, &plan->targets[i]);
	}
}

static void take_overrides(struct plan_scope *scope, const struct plan_check *check,
			   const struct plan_agents *agents)
{
	uint32_t entry = (uint32_t)(agents - check->plan->fleet.agents);

	for (uint32_t i = 0; i < agents->targets_count; i++) {
		int index = plan_scope_find(scope, agents->targets[i].name);
		if (index < 0)
			continue;
		scope->targets[index] = &agents->targets[i];
		free(scope->paths[index]);
		scope->paths[index] =
			mem_format("fleet.agents[%u].targets.%.80s", entry, scope->names[index]);
		scope->sound[index] =
			scope->sound[index] && plan_check_is_sound(check, &agents->targets[i]);
	}
}

static void add_beneath(struct plan_scope *scope, bool *row, uint32_t index)
{
	const struct target *target = scope->targets[index];

	if (row[index])
		return;
	row[index] = true;
	for (uint32_t i = 0; i < target->stripe_count; i++) {
		int part = plan_scope_find(scope, target->stripe[i].name);
		if (part >= 0)
			add_beneath(scope, row, (uint32_t)part);
	}
	for (uint32_t i = 0; i < target->members_count; i++) {
		int member = plan_scope_find(scope, target->members[i].name);
		if (member >= 0)
			add_beneath(scope, row, (uint32_t)member);
	}
}

static void relate(struct plan_scope *scope)
{
	for (uint32_t a = 0; a < scope->count; a++) {
		const struct target *target = scope->targets[a];
		bool *io = scope->io + (size_t)a * scope->count;
		io[a] = true;
		for (uint32_t i = 0; i < target->stripe_count; i++) {
			int part = plan_scope_find(scope, target->stripe[i].name);
			if (part >= 0)
				io[part] = true;
		}
		add_beneath(scope, scope->beneath + (size_t)a * scope->count, a);
	}
}

void plan_scope_init(struct plan_scope *scope, const struct plan_check *check,
		     const struct plan_agents *agents)
{
	uint32_t count = check->plan->targets_count;

	*scope = (struct plan_scope){
		.names = mem_new(count, sizeof(*scope->names)),
		.targets = mem_new(count, sizeof(*scope->targets)),
		.paths = mem_new(count, sizeof(*scope->paths)),
		.sound = mem_new(count, sizeof(*scope->sound)),
		.count = count,
		.io = mem_new((size_t)count * count, sizeof(*scope->io)),
		.beneath = mem_new((size_t)count * count, sizeof(*scope->beneath)),
	};
	take_plans(scope, check);
	if (agents) {
		scope->host = agents->host ? agents->host : "local agents";
		take_overrides(scope, check, agents);
	}
	relate(scope);
}

void plan_scope_release(struct plan_scope *scope)
{
	for (uint32_t i = 0; i < scope->count; i++)
		free(scope->paths[i]);
	free(scope->names);
	free(scope->targets);
	free(scope->paths);
	free(scope->sound);
	free(scope->io);
	free(scope->beneath);
}
