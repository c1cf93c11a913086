#include "controller/describe.h"

#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "common/memory.h"
#include "controller/host_clock.h"

void describe_hosts(struct result *result, const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		const struct fleet_host *from = &fleet->hosts[i];
		struct result_host *host = RECORD_APPEND(result->hosts, result->hosts_count);
		const struct plan_agents *agents = from->plan->agents;
		host->host = mem_text(from->plan->name);
		host->os = mem_text(from->facts.system);
		host->kernel = mem_text(from->facts.kernel);
		host->boot_id = mem_text(from->facts.boot_id);
		host->cpus = from->facts.cpus;
		host->memory_bytes = from->facts.memory_bytes;
		host->uptime_s = from->facts.uptime_s;
		host->container = mem_text(from->facts.container);
		host->memory_limit_bytes = from->facts.memory_limit_bytes;
		host->cpu_limit_thousandths = from->facts.cpu_limit_thousandths;
		host->io_limit = mem_text(from->facts.io_limit);
		host->insecure = from->keys->insecure || from->facts.insecure;
		if (from->keys->secured && from->keys->path) {
			char key[KEY_TEXT_SIZE];
			hex_format(key, from->keys->agent.public, KEY_SIZE);
			host->key = mem_text(key);
		}
		if (agents->expect) {
			host->expect = mem_new(1, sizeof(*host->expect));
			record_copy(&hardware_table, host->expect, agents->expect);
		}
		for (uint32_t l = 0; l < agents->labels_count; l++) {
			struct plan_label *label = RECORD_APPEND(host->labels, host->labels_count);
			record_copy(&plan_label_table, label, &agents->labels[l]);
		}
	}
}

/* ---- clocks ---- */

static void count_stamps(struct result_clock *into, const struct host_clock *clock)
{
	static const char *const names[] = {[CLOCK_STAMP_ZEROMQ] = "zeromq",
					    [CLOCK_STAMP_USER] = "user",
					    [CLOCK_STAMP_KERNEL] = "kernel"};
	uint32_t counts[3] = {0};
	enum clock_stamp most = CLOCK_STAMP_ZEROMQ;

	for (uint32_t i = 0; i < clock->count; i++)
		counts[clock->samples[i].stamp]++;
	if (counts[CLOCK_STAMP_USER] > counts[most])
		most = CLOCK_STAMP_USER;
	if (counts[CLOCK_STAMP_KERNEL] > counts[most])
		most = CLOCK_STAMP_KERNEL;
	into->exchanges = clock->count;
	into->zeromq = counts[CLOCK_STAMP_ZEROMQ];
	into->user = counts[CLOCK_STAMP_USER];
	into->kernel = counts[CLOCK_STAMP_KERNEL];
	into->stamp = clock->count ? mem_text(names[most]) : NULL;
}

static void fill_estimate(struct result_clock *into, const struct host_clock *clock, uint64_t at_ns)
{
	struct clock_estimate estimate = clock_fit_at(&clock->fit, at_ns);

	into->known = estimate.known;
	into->estimator = CLOCK_FIT_VERSION;
	if (!estimate.known)
		return;
	into->offset_ns = estimate.offset_ns;
	into->bound_ns = clock_estimate_bound(&estimate);
	into->drift_ppb = estimate.drift_ppb;
	into->drift_lo_ppb = estimate.drift_lo_ppb;
	into->drift_hi_ppb = estimate.drift_hi_ppb;
}

/* Since the run's start; what was before that is at 0. */
static uint64_t since(uint64_t at_ns, uint64_t begin_ns)
{
	int64_t after = (int64_t)(at_ns - begin_ns);

	return after > 0 ? (uint64_t)after : 0;
}

static struct result_disruption *add_disruption(struct result_clock *into, const char *kind,
						int64_t amount_ns)
{
	struct result_disruption *added = RECORD_APPEND(into->disruptions, into->disruptions_count);

	added->kind = mem_text(kind);
	added->amount_ns = amount_ns;
	return added;
}

static void fill_disruptions(struct result_clock *into, const struct host_clock *clock,
			     const struct fleet_host *host, uint64_t at_ns)
{
	static const char *const names[] = {[DISRUPTION_GAP] = "gap",
					    [DISRUPTION_SUSPEND] = "suspend",
					    [DISRUPTION_STEP] = "step",
					    [DISRUPTION_FREQUENCY] = "frequency"};

	into->disruptions_dropped = host->disruptions.dropped;
	for (uint32_t i = 0; i < host->disruptions.count; i++) {
		const struct disruption *from = &host->disruptions.list[i];
		struct result_disruption *added =
			add_disruption(into, names[from->kind], from->amount_ns);
		uint64_t near = (uint64_t)((int64_t)from->from_ns - into->offset_ns);
		added->from_ns = since(host_clock_instant(clock, from->from_ns, near).at_ns, at_ns);
		near = (uint64_t)((int64_t)from->to_ns - into->offset_ns);
		added->to_ns = since(host_clock_instant(clock, from->to_ns, near).at_ns, at_ns);
	}
	for (uint32_t i = 0; i < clock->fit.cuts_count; i++) {
		const struct clock_cut *cut = &clock->fit.cuts[i];
		struct result_disruption *added = add_disruption(into, "cut", cut->step_ns);
		added->from_ns = since(cut->before_ns, at_ns);
		added->to_ns = since(cut->after_ns, at_ns);
	}
}

void describe_clocks(struct result *result, const struct fleet *fleet, uint64_t at_ns,
		     uint64_t run_start_ns)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct result_clock *into = &result->hosts[i].clock;
		struct host_clock clock;
		host_clock_init(&clock, fleet, &fleet->hosts[i], 0);
		count_stamps(into, &clock);
		fill_estimate(into, &clock, at_ns);
		fill_disruptions(into, &clock, &fleet->hosts[i], run_start_ns);
		clock_fit_round_trips(clock.samples, clock.count, &into->rtt_min_ns,
				      &into->rtt_p50_ns, &into->rtt_p99_ns);
		host_clock_release(&clock);
	}
}
