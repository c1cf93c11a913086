#include "controller/check_fleet.h"

#include <stdio.h>

#include "common/log.h"
#include "common/units.h"
#include "controller/assembly.h"
#include "controller/describe.h"
#include "controller/plan_warn.h"
#include "controller/run_phase.h"

enum { EXIT_USAGE = 2, EXIT_REFUSED = 5, EXIT_SET_UP = 6 };

struct looking {
	uint32_t refused; /* answers that were no */
};

/* ---- one host's part in a phase ---- */

static const char *verb_of(const struct phase *phase)
{
	static const char *const verbs[] = {[PHASE_OP_READ] = "reads",
					    [PHASE_OP_WRITE] = "writes",
					    [PHASE_OP_MIXED] = "reads and writes",
					    [PHASE_OP_TRIM] = "gives back the blocks",
					    [PHASE_OP_IDLE] = "leaves alone what is",
					    [PHASE_OP_FILL] = "fills"};

	return verbs[phase->op];
}

static void print_place(const struct target *target, const struct phase *phase)
{
	if (target->device && phase_writes(phase))
		printf(" of device '%s', WHOSE CONTENT IS LOST", target->device);
	else if (target->device)
		printf(" of device '%s', which is left as it is", target->device);
	else if (target->path)
		printf(" of a file under '%s' that muster makes%s", target->path,
		       target->keep ? " and leaves there" : " and removes");
	else if (target->null)
		printf(" of nothing");
}

static void print_target(const struct fleet_host *host, const struct phase *phase,
			 const struct ready_target *answer)
{
	const struct target *target = plan_host_target(host->plan, answer->target);
	char bytes[UNITS_TEXT_SIZE];

	if (!target)
		return;
	printf("    %s: %s %s", target->name, verb_of(phase),
	       units_format_bytes(bytes, answer->extent_bytes));
	print_place(target, phase);
	for (uint32_t i = 0; i < target->stripe_count; i++) {
		const struct target *part = plan_host_target(host->plan, target->stripe[i].name);
		printf("%s %s", i ? "," : " striped over", target->stripe[i].name);
		if (part)
			print_place(part, phase);
	}
	putchar('\n');
}

static void print_host(struct looking *looking, const struct fleet_host *host,
		       const struct phase *phase)
{
	printf("  host %s\n", host->plan->name);
	if (host->status == FLEET_STATUS_LOST || host->is_failed) {
		printf("    REFUSED: %s\n", host->is_failed ? host->failed.text : host->why);
		looking->refused++;
		return;
	}
	for (uint32_t t = 0; t < host->ready.targets_count; t++)
		print_target(host, phase, &host->ready.targets[t]);
	char spool[UNITS_TEXT_SIZE];
	printf("    keeps its results, at most %s, in the agent's spool until they are on this "
	       "controller's disk\n",
	       units_format_bytes(spool, host->ready.spool_bytes));
	for (uint32_t n = 0; n < host->ready.notes_count; n++)
		printf("    note: %s\n", host->ready.notes[n].name);
}

static void show(void *context, const struct phase *phase, const struct fleet *fleet)
{
	printf("phase %s\n", phase->name);
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].in_phase)
			print_host(context, &fleet->hosts[i], phase);
}

/* ---- all of them ---- */

static void look_at_all(struct assembly *assembly, const struct plan *plan,
			const volatile int *interrupted, struct looking *looking)
{
	struct progress_line progress;
	struct run_phase run = {.fleet = &assembly->fleet,
				.plan = plan,
				.progress = &progress,
				.interrupted = interrupted};

	progress_init(&progress, true);
	for (uint32_t p = 0; p < plan->phases_count && !*interrupted; p++)
		run_phase_look(&run, &plan->phases[p], p + 1, show, looking);
}

static uint32_t warn(const struct fleet *fleet, const struct plan *plan)
{
	struct result result = {0};

	describe_hosts(&result, fleet);
	uint32_t warnings = plan_warn(plan, result.hosts, result.hosts_count);
	record_release(&result_table, &result);
	return warnings;
}

int check_fleet_execute(const struct options *options, struct plan *plan)
{
	struct assembly assembly = {0};
	struct looking looking = {0};
	struct error err = {0};
	uint32_t warnings = 0;
	const volatile int *interrupted = assembly_take_signals();
	int failed = assembly_init(&assembly, plan, options, &err);

	if (!failed) {
		assembly_name_run(assembly.fleet.run, sizeof(assembly.fleet.run));
		failed = assembly_gather(&assembly, plan, interrupted, &err);
		if (!failed)
			warnings = warn(&assembly.fleet, plan);
		if (!failed)
			look_at_all(&assembly, plan, interrupted, &looking);
		assembly_dismiss(&assembly);
	}
	assembly_release(&assembly);
	if (failed) {
		log_error("%s", err.text);
		return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	if (looking.refused)
		printf("%u answers are no: `muster run` would end with exit 5\n", looking.refused);
	else
		printf("no host refuses\n");
	if (looking.refused)
		return EXIT_REFUSED;
	if (warnings && options->strict)
		printf("%u warning%s, and --strict was asked for\n", warnings,
		       warnings == 1 ? "" : "s");
	return warnings && options->strict ? EXIT_USAGE : 0;
}
