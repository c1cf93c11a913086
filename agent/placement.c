#include "agent/placement.h"

#include <stdlib.h>

#include "agent/platform/platform.h"
#include "common/memory.h"

#define TEXT_SIZE 256

static void add_set(struct placement *placement, struct cpu_list set)
{
	placement->sets = mem_resize(placement->sets, placement->count + 1, sizeof(set));
	placement->sets[placement->count++] = set;
}

/* What the plan names, each of which has to be there. */
static int find_named(struct cpu_list *named, const char *text, const struct cpu_list *usable,
		      struct error *err)
{
	char legal[TEXT_SIZE];

	if (cpu_list_parse(named, text, err))
		return -1;
	for (uint32_t i = 0; i < named->count; i++) {
		if (cpu_list_has(usable, named->cpus[i]))
			continue;
		error_set(err, ERROR_REFUSED,
			  "cpus '%.80s': this agent may not run on processor %u, or there is none: "
			  "it has %s",
			  text, named->cpus[i], cpu_list_format(legal, sizeof(legal), usable));
		return -1;
	}
	return 0;
}

static void one_each(struct placement *placement, const struct cpu_list *cpus)
{
	for (uint32_t i = 0; i < cpus->count; i++) {
		struct cpu_list set = {0};
		cpu_list_add(&set, cpus->cpus[i]);
		add_set(placement, set);
	}
}

/* The node's processors, of those that may be used; none is no error of a node that has none. */
static int node_cpus(struct cpu_list *common, uint32_t node, const struct cpu_list *cpus,
		     struct error *err)
{
	struct cpu_list of_node = {0};

	int failed = platform_node_cpus(node, &of_node, err);
	*common = cpu_list_common(cpus, &of_node);
	cpu_list_release(&of_node);
	return failed;
}

static int by_nodes(struct placement *placement, const struct cpu_list *cpus, struct error *err)
{
	struct cpu_list nodes = {0};
	int failed = platform_nodes(&nodes, err);

	for (uint32_t i = 0; !failed && i < nodes.count; i++) {
		struct cpu_list common;
		failed = node_cpus(&common, nodes.cpus[i], cpus, err);
		if (common.count)
			add_set(placement, common);
		else
			cpu_list_release(&common);
	}
	cpu_list_release(&nodes);
	return failed;
}

/* Of all parts, which are on one node. */
static int device_node(const struct load_target *target, uint32_t *node, struct error *err)
{
	for (uint32_t i = 0; i < target->parts_count; i++) {
		const struct part *part = target->parts[i];
		uint32_t of_part;
		if (part->kind == PART_NULL || !platform_device_node(part->fd, &of_part)) {
			error_set(err, ERROR_REFUSED,
				  "numa: device is not possible: the system does not say which "
				  "node '%s' is attached to: use 'numa: node', or name 'cpus'",
				  part->path ? part->path : "null");
			return -1;
		}
		if (i && of_part != *node) {
			error_set(err, ERROR_REFUSED,
				  "numa: device is not possible: '%s' is attached to node %u and "
				  "'%s' to node %u: use 'numa: node'",
				  target->parts[0]->path, *node, part->path, of_part);
			return -1;
		}
		*node = of_part;
	}
	return 0;
}

static int by_device(struct placement *placement, const struct load_target *target,
		     const struct cpu_list *cpus, struct error *err)
{
	struct cpu_list common;
	uint32_t node = 0;
	char text[TEXT_SIZE];

	if (device_node(target, &node, err) || node_cpus(&common, node, cpus, err))
		return -1;
	if (common.count) {
		add_set(placement, common);
		return 0;
	}
	error_set(err, ERROR_REFUSED,
		  "numa: device is not possible: of the processors that may be used (%s) none is "
		  "of node %u, which the device is attached to",
		  cpu_list_format(text, sizeof(text), cpus), node);
	return -1;
}

static int find_within(struct placement *placement, const struct phase *phase,
		       const struct load_target *target, const struct cpu_list *cpus,
		       struct error *err)
{
	if (phase->numa == PHASE_NUMA_NODE)
		return by_nodes(placement, cpus, err);
	if (phase->numa == PHASE_NUMA_DEVICE)
		return by_device(placement, target, cpus, err);
	one_each(placement, cpus);
	return 0;
}

int placement_find(struct placement *placement, const struct phase *phase,
		   const struct load_target *target, struct error *err)
{
	struct cpu_list usable = {0}, named = {0};

	*placement = (struct placement){0};
	if (!phase->cpus && phase->numa == PHASE_NUMA_NONE)
		return 0;
	int failed = platform_cpus(&usable, err) ||
		     (phase->cpus && find_named(&named, phase->cpus, &usable, err)) ||
		     find_within(placement, phase, target, phase->cpus ? &named : &usable, err);
	cpu_list_release(&usable);
	cpu_list_release(&named);
	if (failed)
		error_prefix(err, "target '%s'", target->target->name);
	return failed ? -1 : 0;
}

void placement_release(struct placement *placement)
{
	for (uint32_t i = 0; i < placement->count; i++)
		cpu_list_release(&placement->sets[i]);
	free(placement->sets);
	*placement = (struct placement){0};
}

const struct cpu_list *placement_of(const struct placement *placement, uint32_t number)
{
	return placement->count ? &placement->sets[number % placement->count] : NULL;
}
