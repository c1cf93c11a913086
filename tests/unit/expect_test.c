/* What a plan expects of the hardware reaches the rules over a run, host by host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/log.h"
#include "common/text.h"
#include "controller/analysis/rules.h"
#include "controller/plan_warn.h"
#include "tests/unit/rules_scene.h"

/* Hosts h1 and h2, of which the second has `own`. */
static void read_plan(struct plan *plan, const char *expect, const char *own)
{
	struct yaml_errors errors = {.file = "p"};
	char *text = mem_format(
		"name: n\n"
		"fleet: {agents: [{host: h1}, {host: h2%s%s}]}\n"
		"targets: {t1: {path: /a, size: 1GiB}, t2: {path: /b, size: 1GiB}}\n"
		"phases: [{name: p, op: read, targets: [t1, t2], runtime: 60s, block_size: 1536}]\n"
		"%s%s\n",
		own ? ", expect: " : "", own ? own : "", expect ? "expect: " : "",
		expect ? expect : "");

	if (!plan_parse(plan, text, strlen(text), NULL, 0, &errors))
		fail_msg("%s", errors.lines[0]);
	free(text);
}

/* A run of that plan in which h1 reads 800 MB/s and h2 760 MB/s, from the first target. */
static struct sample run_of(const char *expect, const char *own)
{
	struct sample sample = {0};
	struct random random = {.state = 1};
	struct plan *plan = sample.result.plan = mem_new(1, sizeof(*plan));

	read_plan(plan, expect, own);
	sample_phase(&sample, "p", "read", S, 2, 1);
	for (uint32_t h = 0; h < 2; h++) {
		struct result_host *host =
			RECORD_APPEND(sample.result.hosts, sample.result.hosts_count);
		const struct plan_agents *agents = &plan->fleet.agents[h];
		host->host = mem_format("h%u", h + 1);
		if (agents->expect) {
			host->expect = mem_new(1, sizeof(*host->expect));
			record_copy(&hardware_table, host->expect, agents->expect);
		}
		scene_load(&sample, h, 0, 60, h ? 760e6 : 800e6, 0.02, NULL, &random);
	}
	plan->phases[0].queue_depth = 16;
	sample.result.min_window_ns = S;
	window_compute(&sample.result.phases[0], &sample.series.phases[0], true);
	return sample;
}

static void what_is_expected_is_held_against_a_run(void **state)
{
	static const struct {
		const char *what, *expect, *own, *wanted;
	} rows[] = {
		{"nothing told", NULL, NULL, ""},
		{"room above", "{storage: {t1: {level: raid6, disks: 8, disk_rate: 150 MB/s}}}",
		 NULL, ""},
		{"too fast for its disks",
		 "{storage: {t1: {level: raid6, disks: 6, disk_rate: 150 MB/s}}}", NULL,
		 "EXCEEDS_PHYSICAL h1 t1; EXCEEDS_PHYSICAL h2 t1; "},
		{"of another target", "{storage: {t2: {controller_rate: 100 MB/s}}}", NULL, ""},
		{"far below its controller", "{storage: {t1: {controller_rate: 2 GB/s}}}", NULL,
		 "BELOW_MODEL h1 t1; BELOW_MODEL h2 t1; "},
		{"too fast for its link",
		 "{links: {hba: {gt_per_s: 6, width: 1, targets: [t1, t2]}}}", NULL,
		 "EXCEEDS_PHYSICAL h1 t1; EXCEEDS_PHYSICAL h2 t1; "},
		{"a link as wide as it can be",
		 "{links: {hba: {gt_per_s: 8, width: 1, width_most: 1, targets: [t1]}}}", NULL, ""},
		{"a link that lost lanes",
		 "{links: {hba: {gt_per_s: 5, width: 2, width_most: 4, targets: [t1]}}}", NULL,
		 "LINK_DEGRADED - -; "},
		{"one host has other disks",
		 "{storage: {t1: {level: raid6, disks: 8, disk_rate: 150 MB/s}}}",
		 "{storage: {t1: {disks: 6}}}", "EXCEEDS_PHYSICAL h2 t1; "},
		{"one host has more of them",
		 "{storage: {t1: {level: raid6, disks: 6, disk_rate: 150 MB/s}}}",
		 "{storage: {t1: {disks: 8}}}", "EXCEEDS_PHYSICAL h1 t1; "},
		{"one host's link lost lanes",
		 "{links: {hba: {gt_per_s: 8, width: 1, width_most: 1, targets: [t1]}}}",
		 "{links: {hba: {width_most: 2}}}", "LINK_DEGRADED h2 -; "},
		{"only one host is known", NULL, "{storage: {t1: {link_rate: 300 MB/s}}}",
		 "EXCEEDS_PHYSICAL h2 t1; "},
		{"a partition off its border", "{storage: {t1: {offset: 32256}}}", NULL,
		 "MISALIGNED_4K - t1; "},
		{"a partition at the beginning", "{storage: {t1: {offset: 0}}}", NULL, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample = run_of(rows[i].expect, rows[i].own);
		char found[1024] = "";
		rules_compute(&sample.result, &sample.series);
		for (uint32_t f = 0; f < sample.result.findings_count; f++) {
			const struct result_finding *finding = &sample.result.findings[f];
			size_t used = strlen(found);
			snprintf(found + used, sizeof(found) - used, "%s %s %s; ", finding->code,
				 text_or(finding->host, "-"), text_or(finding->target, "-"));
		}
		if (strcmp(found, rows[i].wanted) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].what, found, rows[i].wanted);
		sample_release(&sample);
	}
}

/* Before the run: blocks that the hardware does not take. */
static void blocks_that_do_not_fit_are_warned_of(void **state)
{
	static const struct {
		const char *expect, *own;
		uint32_t warnings;
	} rows[] = {
		{"{storage: {t1: {logical_block: 512}}}", NULL, 0},
		{"{storage: {t1: {logical_block: 4KiB}}}", NULL, 1},
		{NULL, "{storage: {t2: {logical_block: 4KiB}}}", 1},
		{"{storage: {t1: {logical_block: 4KiB}}}", "{storage: {t1: {logical_block: 512}}}",
		 1},
	};

	(void)state;
	log_init("test", LOG_LEVEL_ERROR);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan;
		read_plan(&plan, rows[i].expect, rows[i].own);
		uint32_t found = plan_warn(&plan, NULL, 0);
		if (found != rows[i].warnings)
			fail_msg("row %zu: %u warnings, not %u", i, found, rows[i].warnings);
		plan_release(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_expected_is_held_against_a_run),
		cmocka_unit_test(blocks_that_do_not_fit_are_warned_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
