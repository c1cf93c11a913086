#include "controller/check_fleet.h"

#include "common/log.h"
#include "common/product.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/assembly.h"
#include "controller/describe.h"
#include "controller/plan_warn.h"
#include "controller/run_phase.h"

enum { EXIT_USAGE = 2, EXIT_REFUSED = 5, EXIT_SET_UP = 6 };

struct looking {
	uint32_t refused;    /* answers that were no */
	uint32_t unanswered; /* that did not come */
	uint32_t phases;     /* that were looked at */
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

static void print_shape(const struct phase *phase)
{
	char text[UNITS_TEXT_SIZE];

	if (phase->runtime)
		product_print(", for %s, again and again",
			      units_format_ns(text, (double)phase->runtime));
}

static void print_target(const struct fleet_host *host, const struct phase *phase,
			 const struct ready_target *answer)
{
	const struct target *target = plan_host_target(host->plan, answer->target);
	char bytes[UNITS_TEXT_SIZE];

	if (!target)
		return;
	product_print("    %s: %s %s", target->name, verb_of(phase),
		      units_format_bytes(bytes, answer->extent_bytes));
	if (target->null)
		product_print(" of nothing");
	for (uint32_t i = 0; i < target->stripe_count; i++)
		product_print("%s %s", i ? "," : " striped over", target->stripe[i].name);
	print_shape(phase);
	if (answer->ram)
		product_print(", in memory");
	product_print("\n");
}

static void print_identity(const struct ready_place *place, const struct target *target)
{
	if (!place->identity)
		product_print("      it has no identity: it can be read only\n");
	else if (!text_is(place->identity, target->destroy))
		product_print("      to let it be overwritten:  destroy: \"%s\"\n",
			      place->identity);
	else
		product_print("      it is the one that the plan arms: \"%s\"\n", place->identity);
}

static void print_device(const struct ready_place *place, const struct target *target,
			 const struct phase *phase, const char *bytes)
{
	if (phase_writes(phase))
		product_print("    overwrites the first %s of device '%s', WHOSE CONTENT IS LOST\n",
			      bytes, place->path);
	else
		product_print("    reads the first %s of device '%s', which is left as it is\n",
			      bytes, place->path);
	print_identity(place, target);
	if (phase_writes(phase))
		product_print("      found on it: %s\n",
			      place->data ? place->data : "no file system and no partition table");
}

/* Whether an earlier run kept it, only the agent knows. */
static const char *end_of_file(const struct ready_place *place, const struct target *target)
{
	if (target->keep)
		return ", which stays there";
	return place->is_made || target->remove ? ", which is removed at the end"
						: ", which stays where an earlier run kept it and "
						  "is removed at the end where none did";
}

static void print_file(const struct ready_place *place, const struct target *target,
		       const char *bytes)
{
	char layout[UNITS_TEXT_SIZE];

	product_print("    %s '%s' of %s%s\n",
		      place->is_made ? "makes" : "uses the file that muster made", place->path,
		      bytes, end_of_file(place, target));
	if (place->layout_bytes)
		product_print(
			"      and writes %s of it first, so far as no phase before this one has\n",
			units_format_bytes(layout, place->layout_bytes));
}

static void print_place(const struct fleet_host *host, const struct phase *phase,
			const struct ready_place *place)
{
	const struct target *target = plan_host_target(host->plan, place->target);
	char bytes[UNITS_TEXT_SIZE];

	if (!target)
		return;
	units_format_bytes(bytes, place->bytes);
	if (place->is_device)
		print_device(place, target, phase, bytes);
	else
		print_file(place, target, bytes);
}

static void print_host(struct looking *looking, const struct fleet_host *host,
		       const struct phase *phase)
{
	product_print("  host %s\n", host->plan->name);
	if (host->status == FLEET_STATUS_LOST || host->is_failed) {
		product_print("    REFUSED: %s\n", host->is_failed ? host->failed.text : host->why);
		looking->refused++;
		return;
	}
	if (!host->is_ready) {
		product_print("    has not answered\n");
		looking->unanswered++;
		return;
	}
	for (uint32_t t = 0; t < host->ready.targets_count; t++)
		print_target(host, phase, &host->ready.targets[t]);
	for (uint32_t p = 0; p < host->ready.places_count; p++)
		print_place(host, phase, &host->ready.places[p]);
	char spool[UNITS_TEXT_SIZE];
	product_print(
		"    keeps its results, at most %s, in the agent's spool until they are on this "
		"controller's disk\n",
		units_format_bytes(spool, host->ready.spool_bytes));
	for (uint32_t n = 0; n < host->ready.notes_count; n++)
		product_print("    note: %s\n", host->ready.notes[n].name);
}

static void show(void *context, const struct phase *phase, const struct fleet *fleet)
{
	struct looking *looking = context;

	product_print("phase %s\n", phase->name);
	looking->phases++;
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].in_phase)
			print_host(looking, &fleet->hosts[i], phase);
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

/* Prints what it comes to; answers the exit code. */
static int conclude(const struct looking *looking, const struct plan *plan, uint32_t warnings)
{
	bool whole = looking->phases == plan->phases_count && !looking->unanswered;

	if (!whole)
		product_print(
			"interrupted: %u of %u phases were looked at, and %u answer%s missing\n",
			looking->phases, plan->phases_count, looking->unanswered,
			looking->unanswered == 1 ? " is" : "s are");
	if (looking->refused) {
		product_print("%u answer%s no: `muster run` would end with exit 5\n",
			      looking->refused, looking->refused == 1 ? " is" : "s are");
		return EXIT_REFUSED;
	}
	if (!whole)
		return EXIT_SET_UP;
	product_print("no host refuses\n");
	if (!warnings)
		return 0;
	product_print("%u warning%s, and --strict was asked for\n", warnings,
		      warnings == 1 ? "" : "s");
	return EXIT_USAGE;
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
	int code = conclude(&looking, plan, options->strict ? warnings : 0);
	if (product_deliver(PRODUCT_PATIENCE_NS, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SET_UP;
	}
	return code;
}
