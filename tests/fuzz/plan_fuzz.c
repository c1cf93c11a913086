/* plan_fuzz.c - any bytes as a plan: parsed, completed, checked, released; of an odd size with a
 * setting as of the command line. */
#include <stdlib.h>
#include <string.h>

#include "controller/plan.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->targets_count; i++)
		if (plan->targets[i].size &&
		    plan_size_bytes(plan->targets[i].size, UINT64_MAX) == 0)
			abort(); /* a size that was checked is one */
	for (uint32_t i = 0; i < plan->gates_count; i++) {
		const struct plan_gate *gate = &plan->gates[i];
		double least = plan_gate_limit(gate, gate->at_least);
		double most = plan_gate_limit(gate, gate->at_most);
		if ((gate->at_least && !(least >= 0)) || (gate->at_most && !(most >= 0)))
			abort();
	}
}

/* A few bytes can name 65,536 hosts of 256 targets each. */
static bool is_small(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->fleet.agents_count; i++)
		if (plan->fleet.agents[i].host && strchr(plan->fleet.agents[i].host, '['))
			return false;
	return true;
}

static void expand(const struct plan *plan)
{
	struct plan_hosts hosts;

	plan_hosts_expand(&hosts, plan);
	if (hosts.count == 0)
		abort();
	for (uint32_t i = 0; i < plan->phases_count; i++)
		for (uint32_t k = 0; k < plan->phases[i].targets_count; k++)
			if (!plan_host_target(&hosts.hosts[0], plan->phases[i].targets[k].name))
				abort();
	plan_hosts_release(&hosts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan plan;
	struct yaml_errors errors = {.file = "plan.yaml"};
	char *const settings[] = {"defaults.runtime=5s"};

	bool ok = plan_parse(&plan, (const char *)data, size, settings, size % 2, &errors);

	if (ok != (errors.count == 0))
		abort(); /* refused without a word, or taken with one */
	accepted = ok;
	if (ok) {
		use(&plan);
		if (is_small(&plan))
			expand(&plan);
		plan_release(&plan);
	}
	yaml_errors_release(&errors);
	return 0;
}
