#include "controller/inspect.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/product.h"
#include "common/units.h"
#include "controller/assembly.h"
#include "controller/describe.h"
#include "controller/report/report.h"

/* The schedule of a phase: the bounds shown are those that a run would have. */
static void watch_clocks(struct fleet *fleet, const volatile int *interrupted)
{
	uint64_t end = clock_now_ns() + INSPECT_NS;

	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_PHASE);
	while (clock_now_ns() < end && !*interrupted)
		fleet_pump(fleet, 20);
}

/* What earlier runs have left there. */
static void show_left(const struct fleet_host *host)
{
	char size[UNITS_TEXT_SIZE];

	for (uint32_t i = 0; i < host->facts.kept_count; i++) {
		const struct kept_run *kept = &host->facts.kept[i];
		product_print("%s: keeps results of run %s of %s since %s: %u phase%s, %s; `muster "
			      "collect` fetches them\n",
			      host->plan->name, kept->run, kept->holder, kept->since,
			      kept->phases_count, kept->phases_count == 1 ? "" : "s",
			      units_format_bytes(size, kept->bytes));
	}
	if (host->facts.kept_more)
		product_print("%s: keeps results of %u more runs\n", host->plan->name,
			      host->facts.kept_more);
	for (uint32_t i = 0; i < host->facts.left_count; i++)
		product_print(
			"%s: could not remove '%s', which muster made; it tries again at each "
			"release\n",
			host->plan->name, host->facts.left[i].name);
	if (host->facts.left_more)
		product_print("%s: nor %u more files\n", host->plan->name, host->facts.left_more);
}

static void show(struct assembly *assembly)
{
	struct result result = {0};

	describe_hosts(&result, &assembly->fleet);
	uint64_t now = clock_now_ns();
	describe_clocks(&result, &assembly->fleet, now, now);
	report_fleet(&result, product_file());
	for (uint32_t i = 0; i < assembly->fleet.count; i++)
		show_left(&assembly->fleet.hosts[i]);
	record_release(&result_table, &result);
}

int inspect_execute(const struct options *options, struct plan *plan)
{
	struct assembly assembly = {0};
	struct error err = {0};
	const volatile int *interrupted = assembly_take_signals();
	int failed = assembly_init(&assembly, plan, options, &err);

	if (!failed) {
		assembly_name_run(assembly.fleet.run, sizeof(assembly.fleet.run));
		failed = assembly_gather(&assembly, plan, interrupted, &err);
		if (!failed) {
			watch_clocks(&assembly.fleet, interrupted);
			show(&assembly);
		}
		assembly_dismiss(&assembly);
	}
	assembly_release(&assembly);
	if (!failed)
		failed = product_deliver(PRODUCT_PATIENCE_NS, &err);
	if (!failed)
		return 0;
	log_error("%s", err.text);
	return err.kind == ERROR_USAGE ? 2 : 6;
}
