/* plan.h - what a person wants measured, read from YAML and checked without any network. */
#ifndef MUSTER_CONTROLLER_PLAN_H
#define MUSTER_CONTROLLER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/nodeset.h"
#include "common/record.h"
#include "common/record_yaml.h"
#include "controller/facts.h"
#include "proto/phase.h"

#define PLAN_PORT 7411

struct plan_label {
	char *name;
	char *value;
};

struct plan_agents {
	char *host;     /* nodeset; NULL with local */
	uint32_t local; /* that many agents of its own on the loopback; 0 with host */
	uint32_t port;
	char *key;     /* public key that each has to prove, {host} standing for it; NULL: {host} */
	char *cpus;    /* of these hosts, in place of a phase's own; NULL: as the phase says */
	char *scratch; /* local: directory under which they make theirs; NULL: a temporary one */
	char *spool;   /* local: that in which theirs stay from run to run; NULL: they do not */
	struct plan_label *labels;
	uint32_t labels_count;
	struct target *targets; /* overrides, already completed from the plan's targets */
	uint32_t targets_count;
	struct hardware *expect; /* likewise, from the plan's; NULL: as the plan has it */
};

enum plan_on_host_loss { PLAN_ON_HOST_LOSS_ABORT, PLAN_ON_HOST_LOSS_CONTINUE };

struct plan_fleet {
	struct plan_agents *agents;
	uint32_t agents_count;
	char *key; /* this controller's secret key; NULL: none */
	enum plan_on_host_loss on_host_loss;
	uint64_t suspect_after, dead_after; /* ns */
};

/* What each is stands in the documentation of the gate's row (plan.c). */
enum plan_metric {
	PLAN_METRIC_THROUGHPUT,
	PLAN_METRIC_IOPS,
	PLAN_METRIC_ERRORS,
	PLAN_METRIC_SPREAD,
	PLAN_METRIC_MEAN_LATENCY,
	PLAN_METRIC_P50_LATENCY,
	PLAN_METRIC_P90_LATENCY,
	PLAN_METRIC_P99_LATENCY,
	PLAN_METRIC_P999_LATENCY,
	PLAN_METRIC_MAX_LATENCY,
	PLAN_METRIC_MEAN_SERVICE,
	PLAN_METRIC_P50_SERVICE,
	PLAN_METRIC_P90_SERVICE,
	PLAN_METRIC_P99_SERVICE,
	PLAN_METRIC_P999_SERVICE,
	PLAN_METRIC_MAX_SERVICE,
	PLAN_METRIC_MEAN_SYNC,
	PLAN_METRIC_P50_SYNC,
	PLAN_METRIC_P90_SYNC,
	PLAN_METRIC_P99_SYNC,
	PLAN_METRIC_P999_SYNC,
	PLAN_METRIC_MAX_SYNC,
	PLAN_METRIC_STRIPE_EFFICIENCY,
	PLAN_METRIC_START_SKEW,
	PLAN_METRIC_STEADINESS,
	PLAN_METRIC_DEVICE_SHARE,
	PLAN_METRICS
};
enum plan_of { PLAN_OF_HOST, PLAN_OF_TARGET, PLAN_OF_FLEET, PLAN_OF_LABEL };

/* How its limits are written, and its figures shown. */
enum plan_metric_unit {
	PLAN_METRIC_UNIT_RATE,
	PLAN_METRIC_UNIT_COUNT,
	PLAN_METRIC_UNIT_PERCENT,
	PLAN_METRIC_UNIT_NS,
};

extern const char *const plan_metric_names[];
extern const char *const plan_of_names[];

struct plan_gate {
	char *phase;
	enum plan_metric metric;
	enum plan_of of;
	char *label;   /* with PLAN_OF_LABEL: each of its values is a group of hosts */
	char *against; /* another phase, or PLAN_BASELINE: the figure is in percent of that one's */
	char *at_least, *at_most; /* text: the unit is the metric's; percent with `against` */
	char *within;             /* percent, with `against`: off 100 % by no more, either way */
};
#define PLAN_BASELINE "baseline"

/* `defaults` is given out to the phases before they are read, and is NULL ever after. */
struct plan {
	char *name;
	struct plan_fleet fleet;
	struct target *targets;
	uint32_t targets_count;
	struct phase *defaults;
	struct phase *phases;
	uint32_t phases_count;
	struct plan_gate *gates;
	uint32_t gates_count;
	struct hardware *expect; /* what the hardware allows; NULL: not told */
	uint32_t repeat;
	uint64_t bucket;         /* ns */
	uint64_t min_window;     /* ns */
	uint64_t io_timeout;     /* ns */
	uint64_t max_start_skew; /* ns; 0: any */
};
extern const struct record_table plan_table;
extern const struct record_table plan_fleet_table;
extern const struct record_table plan_agents_table;
extern const struct record_table plan_label_table;
extern const struct record_table plan_gate_table;

/* Reads, applies `settings` ("defaults.runtime=5s"), fills defaults and overrides in, checks every
 * rule. Answers whether there were no errors; all of them are in `errors`. */
bool plan_read(struct plan *plan, const char *path, char *const *settings, uint32_t settings_count,
	       struct yaml_errors *errors);
/* The same from memory. */
bool plan_parse(struct plan *plan, const char *bytes, size_t size, char *const *settings,
		uint32_t settings_count, struct yaml_errors *errors);
/* Neither leaves anything to release when it answers false. */
void plan_release(struct plan *plan);

/* Whether it is a time that operations, or syncs, took. */
bool plan_metric_is_latency(enum plan_metric metric);
bool plan_metric_is_of_syncs(enum plan_metric metric);

/* The unit of a gate's figure and limits. */
enum plan_metric_unit plan_gate_unit(const struct plan_gate *gate);

/* The limit of a gate in bytes/s, operations/s, errors, percent or ns; the text was checked by
 * plan_read. NAN for NULL. */
double plan_gate_limit(const struct plan_gate *gate, const char *text);

/* Whether a gate of the plan is against the baseline. */
bool plan_has_baseline(const struct plan *plan);

/* ---- the plan, host by host ---- */

struct plan_host {
	char *name; /* as in the nodeset; "local1", "local2", … */
	const struct plan_agents *agents;
	bool local;
	struct target *targets; /* this host's: overrides before the plan's; copies */
	uint32_t targets_count;
};
struct plan_hosts {
	struct plan_host *hosts;
	uint32_t count;
};
void plan_hosts_expand(struct plan_hosts *hosts, const struct plan *plan);
void plan_hosts_release(struct plan_hosts *hosts);

/* Target of a host by name; NULL when it has none. */
const struct target *plan_host_target(const struct plan_host *host, const char *name);

/* Bytes of a size as written on a host with that much memory; 0 for NULL, UINT64_MAX where it is
 * more than 64 bits can say. */
uint64_t plan_size_bytes(const char *size, uint64_t memory_bytes);

#endif
