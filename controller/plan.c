#include "controller/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/plan_check.h"
#include "controller/plan_tree.h"

static const struct record_row label_rows[] = {
	{MEMBER(struct plan_label, name), .required = true, .doc = "any name: os, fs, rack"},
	{MEMBER(struct plan_label, value), .required = true, .doc = "any text"},
};
const struct record_table plan_label_table =
	RECORD_TABLE(struct plan_label, "label", label_rows,
		     "What a report may group hosts by: `labels: {os: linux, fs: xfs}`.");

static const struct record_row agents_rows[] = {
	{MEMBER(struct plan_agents, host), .aka = " hosts hostname name node nodes client address ",
	 .doc = "names of hosts on which an agent listens: `store7`, `store[01-04]`, "
		"`r[1-2]n[1-8],!r1n3`"},
	{MEMBER(struct plan_agents, local), .min = 1, .max = 64,
	 .doc = "instead of host: that many agents that muster starts itself, on this host and "
		"its loopback; reports call them local1, local2, …"},
	{MEMBER(struct plan_agents, port), .fallback = "7411", .min = 1, .max = 65535,
	 .doc = "where the agents of `host` listen"},
	{MEMBER(struct plan_agents, key),
	 .doc = "public key that each agent of `host` has to prove, `{host}` standing for the "
		"host's "
		"name; a name in the directory of keys ($MUSTER_KEYS, else /etc/muster/keys for "
		"root, else ~/.config/muster/keys), or a path. `{host}` when absent; on the "
		"loopback then "
		"none"},
	{MEMBER(struct plan_agents, cpus),
	 .doc = "processors for the workers of these hosts, as 0-3,8, in place of a phase's own"},
	{MEMBER(struct plan_agents, scratch),
	 .doc = "with local: the directory under which each agent gets one of its own, where "
		"relative paths of targets begin; a temporary one when absent"},
	{MEMBER(struct plan_agents, spool),
	 .doc = "with local, in place of scratch: a directory in which each agent has one of its "
		"own that stays, local1 and so on, so that a later run with the same knows what "
		"this one made, kept (`keep`) and wrote (`expect`); relative paths of targets "
		"begin in its scratch"},
	{MEMBER_LIST(struct plan_agents, labels, plan_label_table), .keyed = true,
	 .doc = "what reports may group these hosts by"},
	{MEMBER_LIST(struct plan_agents, targets, target_table), .keyed = true,
	 .doc = "what is different on these hosts, by the name of a target of the plan: an entry "
		"with one of path, device, stripe, null replaces what the target is, everything "
		"else that it does not say stays as the plan has it"},
	{MEMBER_MAYBE(struct plan_agents, expect, hardware_table),
	 .doc = "what is different in the hardware of these hosts: an entry completes the plan's "
		"of "
		"the same name, or is one more"},
};
const struct record_table plan_agents_table =
	RECORD_TABLE(struct plan_agents, "agents", agents_rows,
		     "Some of the hosts under test: exactly one of `host` and `local`. A host "
		     "stands in a fleet once.");

static const char *const on_host_loss_names[] = {"abort", "continue", NULL};

static const struct record_row fleet_rows[] = {
	{MEMBER_LIST(struct plan_fleet, agents, plan_agents_table), .required = true,
	 .doc = "the hosts under test"},
	{MEMBER(struct plan_fleet, key),
	 .doc = "this controller's secret key, which agents know it by: a name in the directory of "
		"keys, or a path; --key goes before it"},
	{MEMBER(struct plan_fleet, on_host_loss), .names = on_host_loss_names, .fallback = "abort",
	 .doc = "what the others do when a host is lost in mid-phase; the run is INVALID either "
		"way, and what was measured is kept"},
	{MEMBER(struct plan_fleet, suspect_after), .unit = UNIT_NS, .fallback = "3s",
	 .min = 1000000000, .max = 60000000000,
	 .doc = "silence of an agent that is worth a warning; below dead_after"},
	{MEMBER(struct plan_fleet, dead_after), .unit = UNIT_NS, .fallback = "10s",
	 .min = 3000000000, .max = 60000000000,
	 .doc = "silence after which a host counts as lost, and after which an agent stops its "
		"load by itself"},
};
const struct record_table plan_fleet_table = RECORD_TABLE(
	struct plan_fleet, "fleet", fleet_rows, "The hosts, and what happens when one is lost.");

const char *const plan_metric_names[] = {"throughput",
					 "iops",
					 "errors",
					 "spread",
					 "mean_latency",
					 "p50_latency",
					 "p90_latency",
					 "p99_latency",
					 "p999_latency",
					 "max_latency",
					 "mean_service_latency",
					 "p50_service_latency",
					 "p90_service_latency",
					 "p99_service_latency",
					 "p999_service_latency",
					 "max_service_latency",
					 "mean_sync_latency",
					 "p50_sync_latency",
					 "p90_sync_latency",
					 "p99_sync_latency",
					 "p999_sync_latency",
					 "max_sync_latency",
					 "stripe_efficiency",
					 "start_skew",
					 "steadiness",
					 "device_share",
					 NULL};
const char *const plan_of_names[] = {"host", "target", "fleet", "label", NULL};

static const struct record_row gate_rows[] = {
	{MEMBER(struct plan_gate, phase), .required = true, .doc = "the phase that is judged"},
	{MEMBER(struct plan_gate, metric), .names = plan_metric_names, .required = true,
	 .doc = "throughput has limits such as `800 MB/s`, iops and errors plain numbers, the "
		"latencies (in a phase with a rate from when an operation was due; service "
		"latencies always from its submit; sync latencies are of the syncs after "
		"sync_every writes each) and "
		"start_skew (latest first I/O - earliest; of the fleet) times, the "
		"others percent: spread, of the hosts' throughput, (largest - smallest) / median "
		"(of fleet or label); stripe_efficiency, the rate of a target over that of its "
		"parts together, else the sum of each alone (of host or fleet); steadiness, over "
		"five equal parts of the window, the larger of (largest - smallest) / mean and "
		"twice the change of the fitted line, so that `at_most: 20%` is SNIA's steady "
		"state (of host or fleet); device_share, device bytes / engine bytes, of several "
		"targets that which is furthest from 100 %"},
	{MEMBER(struct plan_gate, of), .names = plan_of_names, .required = true,
	 .doc = "whose: each host's, each target's on each host, that of all together, or with "
		"`label` that of the hosts with each value of a label together"},
	{MEMBER(struct plan_gate, label), .doc = "with `of: label`: the label"},
	{MEMBER(struct plan_gate, against),
	 .doc = "another phase of the same trial, or `baseline`, the same phase of the run that "
		"`--baseline` names: the figure (throughput, iops or a latency) is in percent of "
		"that one's, and so are the limits; rates of the fleet only against as many hosts"},
	{MEMBER(struct plan_gate, at_least), .doc = "fails below this"},
	{MEMBER(struct plan_gate, at_most), .doc = "fails above this"},
	{MEMBER(struct plan_gate, within),
	 .doc = "with `against`: fails further than this from 100 %, either way"},
};
const struct record_table plan_gate_table = RECORD_TABLE(
	struct plan_gate, "gate", gate_rows,
	"A rule that passes or fails: `at_least`, `at_most` or both, or `within`. A gate "
	"on errors says how many are accepted; without one, none are. A figure that a "
	"finding makes INVALID makes its gates INVALID; with too few data, or where the "
	"phase was not steady, they are INCONCLUSIVE (but errors, start_skew, "
	"steadiness and device_share, which do not need a steady phase).");

static const struct record_row plan_rows[] = {
	{MEMBER(struct plan, name), .required = true,
	 .doc = "what reports call it; letters, digits, '.', '_' and '-', as all names here"},
	{MEMBER_ONE(struct plan, fleet, plan_fleet_table), .required = true,
	 .doc = "where it runs"},
	{MEMBER_LIST(struct plan, targets, target_table), .keyed = true, .required = true,
	 .doc = "what I/O goes to, by name"},
	{MEMBER_MAYBE(struct plan, defaults, phase_table),
	 .doc = "what each phase has unless it says otherwise: any key of a phase but `name`, none "
		"required"},
	{MEMBER_LIST(struct plan, phases, phase_table), .required = true,
	 .doc = "what is done, in this order"},
	{MEMBER_LIST(struct plan, gates, plan_gate_table), .doc = "what it is held against"},
	{MEMBER_MAYBE(struct plan, expect, hardware_table),
	 .doc = "what the hardware of each host is and allows, as far as it is known: a figure "
		"above "
		"it is INVALID (EXCEEDS_PHYSICAL), one far below it is noted (BELOW_MODEL), and a "
		"link that runs below what it could and blocks or borders that do not fit are "
		"warned of"},
	{MEMBER(struct plan, repeat), .aka = " trials repetitions iterations loops ",
	 .fallback = "1", .min = 1, .max = 1000,
	 .doc = "how many times all phases are run, a trial each"},
	{MEMBER(struct plan, bucket), .unit = UNIT_NS, .fallback = "100ms", .min = 10000000,
	 .max = 10000000000, .doc = "width of a bucket of the timeline"},
	{MEMBER(struct plan, min_window), .unit = UNIT_NS, .fallback = "30s",
	 .doc = "a phase measured for less is INVALID (TOO_SHORT): nothing steady can be said"},
	{MEMBER(struct plan, io_timeout), .unit = UNIT_NS, .fallback = "60s", .min = 1000000000,
	 .max = UINT64_C(3600000000000),
	 .doc = "a request that is outstanding for longer is stuck: its host is lost for the run, "
		"and the "
		"report names target and offset; so is a lay-out that makes no progress for so "
		"long"},
	{MEMBER(struct plan, max_start_skew), .unit = UNIT_NS,
	 .doc = "a phase whose workers began further apart is INVALID (START_SKEW), and none is "
		"started "
		"while the clocks are not known that well; absent: it is only reported"},
};
const struct record_table plan_table = RECORD_TABLE(
	struct plan, "plan", plan_rows,
	"What is measured: the file that `muster run` and `muster check` read. "
	"`--set defaults.runtime=5s`, `--set phases.write.size=1GiB` and so on replace "
	"single values before it is read.");

static bool apply_setting(struct yaml_node *root, const char *setting, struct yaml_errors *errors)
{
	const char *equals = strchr(setting, '=');

	if (!equals || equals == setting) {
		yaml_errors_add(errors, 0, 0, "'%.80s': give KEY=VALUE, as defaults.runtime=5s",
				setting);
		return false;
	}
	char *key = mem_text(setting);
	key[equals - setting] = '\0';
	bool set = yaml_tree_set(root, key, equals + 1, errors);
	free(key);
	return set;
}

static bool read_tree(struct plan *plan, struct yaml_node *root, char *const *settings,
		      uint32_t settings_count, struct yaml_errors *errors)
{
	bool settings_sound = true;
	struct record_places places = {0};
	struct plan_check check = {.plan = plan, .root = root, .places = &places, .errors = errors};

	for (uint32_t i = 0; i < settings_count; i++)
		settings_sound &= apply_setting(root, settings[i], errors);
	check.defaults_sound = plan_tree_defaults(root, errors);
	plan_tree_overrides(root);
	check.sound = record_yaml_read(&plan_table, plan, root, &places, errors);
	plan_check(&check);
	record_places_release(&places);
	return settings_sound && check.defaults_sound && check.sound && !check.failed;
}

/* Takes the tree, which may be NULL: then the errors say why. */
static bool read_and_free(struct plan *plan, struct yaml_node *root, char *const *settings,
			  uint32_t settings_count, struct yaml_errors *errors)
{
	*plan = (struct plan){0};
	if (!root)
		return false;
	bool ok = read_tree(plan, root, settings, settings_count, errors);
	yaml_tree_free(root);
	if (!ok)
		plan_release(plan);
	return ok;
}

bool plan_parse(struct plan *plan, const char *bytes, size_t size, char *const *settings,
		uint32_t settings_count, struct yaml_errors *errors)
{
	return read_and_free(plan, yaml_tree_parse(bytes, size, errors), settings, settings_count,
			     errors);
}

bool plan_read(struct plan *plan, const char *path, char *const *settings, uint32_t settings_count,
	       struct yaml_errors *errors)
{
	return read_and_free(plan, yaml_tree_read(path, errors), settings, settings_count, errors);
}

void plan_release(struct plan *plan)
{
	record_release(&plan_table, plan);
}

bool plan_metric_is_latency(enum plan_metric metric)
{
	return metric >= PLAN_METRIC_MEAN_LATENCY && metric <= PLAN_METRIC_MAX_SYNC;
}

bool plan_metric_is_of_syncs(enum plan_metric metric)
{
	return metric >= PLAN_METRIC_MEAN_SYNC && metric <= PLAN_METRIC_MAX_SYNC;
}

static enum plan_metric_unit unit_of(enum plan_metric metric)
{
	switch (metric) {
	case PLAN_METRIC_THROUGHPUT:
		return PLAN_METRIC_UNIT_RATE;
	case PLAN_METRIC_IOPS:
	case PLAN_METRIC_ERRORS:
		return PLAN_METRIC_UNIT_COUNT;
	case PLAN_METRIC_SPREAD:
	case PLAN_METRIC_STRIPE_EFFICIENCY:
	case PLAN_METRIC_STEADINESS:
	case PLAN_METRIC_DEVICE_SHARE:
	case PLAN_METRICS:
		return PLAN_METRIC_UNIT_PERCENT;
	case PLAN_METRIC_START_SKEW:
	default:
		return PLAN_METRIC_UNIT_NS;
	}
}

enum plan_metric_unit plan_gate_unit(const struct plan_gate *gate)
{
	return gate->against ? PLAN_METRIC_UNIT_PERCENT : unit_of(gate->metric);
}

int plan_limit_parse(enum plan_metric_unit unit, const char *text, double *limit, struct error *err)
{
	uint64_t value = 0;
	int status = -1;

	switch (unit) {
	case PLAN_METRIC_UNIT_RATE:
		status = units_parse_rate(text, &value, err);
		break;
	case PLAN_METRIC_UNIT_COUNT:
		status = units_parse_count(text, &value, err);
		break;
	case PLAN_METRIC_UNIT_NS:
		status = units_parse_ns(text, &value, err);
		break;
	case PLAN_METRIC_UNIT_PERCENT:
		status = units_parse_fine_percent(text, &value, err);
		break;
	}
	*limit = unit == PLAN_METRIC_UNIT_PERCENT ? (double)value / 1000 : (double)value;
	return status;
}

double plan_gate_limit(const struct plan_gate *gate, const char *text)
{
	double limit = 0;
	struct error err = {0};

	if (!text || plan_limit_parse(plan_gate_unit(gate), text, &limit, &err) < 0)
		return NAN;
	return limit;
}

bool plan_has_baseline(const struct plan *plan)
{
	for (uint32_t g = 0; g < plan->gates_count; g++)
		if (text_is(plan->gates[g].against, PLAN_BASELINE))
			return true;
	return false;
}

uint64_t plan_size_bytes(const char *size, uint64_t memory_bytes)
{
	uint64_t bytes = 0, thousandths = 0;
	struct error err = {0};

	if (!size || units_parse_size(size, &bytes, &thousandths, &err) < 0)
		return 0;
	if (thousandths == 0)
		return bytes;
	/* More than 2^64 bytes: no disk has that, and the check of space will say so. */
	uint64_t product;
	if (!__builtin_mul_overflow(memory_bytes, thousandths, &product))
		return product / 1000;
	if (__builtin_mul_overflow(memory_bytes / 1000, thousandths, &product))
		return UINT64_MAX;
	return product;
}
