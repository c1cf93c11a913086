/* What a plan means once it is read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/config.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "controller/plan.h"
#include "controller/plan_warn.h"

#define HEAD                                                                                       \
	"name: plan\n"                                                                             \
	"fleet: {agents: [{local: 1}]}\n"                                                          \
	"targets: {disk: {path: /test, size: 1GiB}, raw: {device: /dev/sdb}}\n"

static void read_set(struct plan *plan, const char *text, char *const *settings, uint32_t count)
{
	struct yaml_errors errors = {.file = "plan.yaml"};

	if (!plan_parse(plan, text, strlen(text), settings, count, &errors))
		fail_msg("%s", errors.lines[0]);
	assert_int_equal(errors.count, 0);
	yaml_errors_release(&errors);
}

static void read_plan(struct plan *plan, const char *text)
{
	read_set(plan, text, NULL, 0);
}

static void what_is_not_written_has_its_fallback(void **state)
{
	(void)state;
	struct plan plan;

	read_plan(&plan, HEAD "phases: [{name: w, op: write, targets: [disk], runtime: 5s}]\n");
	assert_int_equal(plan.repeat, 1);
	assert_int_equal(plan.bucket, 100 * NS_PER_MS);
	assert_int_equal(plan.min_window, 30 * NS_PER_S);
	assert_int_equal(plan.fleet.suspect_after, 3 * NS_PER_S);
	assert_int_equal(plan.fleet.dead_after, 10 * NS_PER_S);
	assert_int_equal(plan.fleet.on_host_loss, PLAN_ON_HOST_LOSS_ABORT);
	assert_int_equal(plan.phases[0].block_size, 1 << 20);
	assert_int_equal(plan.phases[0].workers, 1);
	assert_int_equal(plan.phases[0].direct, PHASE_DIRECT_TRUE);
	plan_release(&plan);
}

static void phases_inherit_what_they_do_not_say(void **state)
{
	(void)state;
	struct plan plan;

	read_plan(&plan,
		  HEAD "defaults: {op: read, targets: [disk], runtime: 60s, ramp: 5s, "
		       "block_size: 64KiB, workers: 4}\n"
		       "phases:\n"
		       "  - {name: one}\n"
		       "  - {name: other, op: write, targets: [raw], ramp: 0, workers: 8}\n");
	assert_null(plan.defaults);
	assert_int_equal(plan.phases[0].op, PHASE_OP_READ);
	assert_string_equal(plan.phases[0].targets[0].name, "disk");
	assert_int_equal(plan.phases[0].ramp, 5 * NS_PER_S);
	assert_int_equal(plan.phases[0].workers, 4);
	assert_int_equal(plan.phases[1].op, PHASE_OP_WRITE);
	assert_string_equal(plan.phases[1].targets[0].name, "raw");
	assert_int_equal(plan.phases[1].ramp, 0);
	assert_int_equal(plan.phases[1].workers, 8);
	assert_int_equal(plan.phases[1].block_size, 64 << 10);
	assert_int_equal(plan.phases[1].runtime, 60 * NS_PER_S);
	plan_release(&plan);
}

static void auto_sync_is_end_where_a_phase_writes(void **state)
{
	(void)state;
	struct plan plan;

	read_plan(&plan, HEAD "defaults: {targets: [disk], runtime: 5s}\n"
			      "phases: [{name: r, op: read}, {name: w, op: write}, {name: m, op: "
			      "mixed}, {name: n, op: write, sync: none}]\n");
	assert_int_equal(plan.phases[0].sync, PHASE_SYNC_NONE);
	assert_int_equal(plan.phases[1].sync, PHASE_SYNC_END);
	assert_int_equal(plan.phases[2].sync, PHASE_SYNC_END);
	assert_int_equal(plan.phases[3].sync, PHASE_SYNC_NONE);
	plan_release(&plan);
}

static void settings_replace_what_is_written(void **state)
{
	(void)state;
	struct plan plan;
	char *const settings[] = {"defaults.runtime=7s", "phases.w.size=2GiB",
				  "targets.disk.path=/other", "repeat=3", "phases.r.workers=2"};

	read_set(&plan,
		 HEAD "phases: [{name: w, op: write, targets: [disk]}, {name: r, op: read, "
		      "targets: [disk], runtime: 9s}]\n",
		 settings, 5);
	assert_int_equal(plan.phases[0].runtime, 7 * NS_PER_S);
	assert_string_equal(plan.phases[0].size, "2GiB");
	assert_int_equal(plan.phases[1].runtime, 9 * NS_PER_S);
	assert_int_equal(plan.phases[1].workers, 2);
	assert_string_equal(plan.targets[0].path, "/other");
	assert_int_equal(plan.repeat, 3);
	plan_release(&plan);
}

#define OVERRIDES                                                                                  \
	"name: plan\n"                                                                             \
	"fleet:\n"                                                                                 \
	"  agents:\n"                                                                              \
	"    - {host: a}\n"                                                                        \
	"    - {host: b, targets: {raw: {destroy: wwn-b}}}\n"                                      \
	"    - {host: c, targets: {raw: {path: /c}}}\n"                                            \
	"    - {host: d, targets: {s: {device: /dev/md0}}}\n"                                      \
	"    - {host: e, targets: {disk: {size: 2GiB}}}\n"                                         \
	"targets:\n"                                                                               \
	"  disk: {path: /test, size: 1GiB, keep: true}\n"                                          \
	"  raw: {device: /dev/sdb, destroy: wwn-a, size: 3GiB}\n"                                  \
	"  s: {stripe: [disk, raw], stripe_unit: 64KiB}\n"                                         \
	"phases: [{name: r, op: read, targets: [s], size: 1GiB}]\n"

static void a_host_that_differs_keeps_what_it_does_not_say(void **state)
{
	(void)state;
	struct plan plan;
	struct plan_hosts hosts;

	read_plan(&plan, OVERRIDES);
	plan_hosts_expand(&hosts, &plan);
	assert_int_equal(hosts.count, 5);
	const struct target *raw = plan_host_target(&hosts.hosts[0], "raw");
	assert_string_equal(raw->destroy, "wwn-a");
	raw = plan_host_target(&hosts.hosts[1], "raw");
	assert_string_equal(raw->device, "/dev/sdb");
	assert_string_equal(raw->destroy, "wwn-b");
	assert_string_equal(raw->size, "3GiB");
	const struct target *disk = plan_host_target(&hosts.hosts[4], "disk");
	assert_string_equal(disk->path, "/test");
	assert_string_equal(disk->size, "2GiB");
	assert_true(disk->keep);
	plan_hosts_release(&hosts);
	plan_release(&plan);
}

static void an_override_that_is_something_else_drops_what_the_target_was(void **state)
{
	(void)state;
	struct plan plan;
	struct plan_hosts hosts;

	read_plan(&plan, OVERRIDES);
	plan_hosts_expand(&hosts, &plan);
	const struct target *raw = plan_host_target(&hosts.hosts[2], "raw");
	assert_string_equal(raw->path, "/c");
	assert_null(raw->device);
	assert_null(raw->destroy); /* another disk's identity arms nothing here */
	assert_string_equal(raw->size, "3GiB");
	const struct target *s = plan_host_target(&hosts.hosts[3], "s");
	assert_string_equal(s->device, "/dev/md0");
	assert_int_equal(s->stripe_count, 0);
	assert_null(plan_host_target(&hosts.hosts[3], "t"));
	plan_hosts_release(&hosts);
	plan_release(&plan);
}

static void hosts_stand_in_the_order_of_the_plan(void **state)
{
	(void)state;
	static const char *const want[] = {"local1", "store09", "store10",
					   "local2", "local3",  "db"};
	struct plan plan;
	struct plan_hosts hosts;

	read_plan(&plan, "name: plan\n"
			 "fleet: {agents: [{local: 1, labels: {os: linux, fs: xfs}}, "
			 "{host: \"store[09-10]\", port: 7500}, {local: 2}, {host: db}]}\n"
			 "targets: {disk: {path: /test, size: 1GiB}}\n"
			 "phases: [{name: w, op: write, targets: [disk], runtime: 5s}]\n");
	plan_hosts_expand(&hosts, &plan);
	assert_int_equal(hosts.count, sizeof(want) / sizeof(want[0]));
	for (uint32_t i = 0; i < hosts.count; i++) {
		assert_string_equal(hosts.hosts[i].name, want[i]);
		assert_int_equal(hosts.hosts[i].local, strncmp(want[i], "local", 5) == 0);
		assert_int_equal(hosts.hosts[i].targets_count, 1);
	}
	assert_int_equal(hosts.hosts[0].agents->labels_count, 2);
	assert_string_equal(hosts.hosts[0].agents->labels[1].name, "fs");
	assert_string_equal(hosts.hosts[0].agents->labels[1].value, "xfs");
	assert_int_equal(hosts.hosts[2].agents->port, 7500);
	assert_int_equal(hosts.hosts[5].agents->port, PLAN_PORT);
	plan_hosts_release(&hosts);
	plan_release(&plan);
}

static void sizes_follow_the_memory_of_the_host(void **state)
{
	(void)state;
	static const struct {
		const char *size;
		uint64_t memory, want;
	} rows[] = {
		{NULL, 1 << 20, 0},
		{"4096", 1 << 20, 4096},
		{"1GiB", 1 << 20, 1 << 30},
		{"2x ram", 1 << 20, 2 << 20},
		{"0.5x ram", 1 << 20, 1 << 19},
		{"1.5x ram", 3, 4}, /* rounded down */
		{"1x ram", UINT64_MAX, UINT64_MAX / 1000 * 1000},
		{"2x ram", UINT64_MAX, UINT64_MAX},
		{"18446744073709551x ram", 1 << 30, UINT64_MAX},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = plan_size_bytes(rows[i].size, rows[i].memory);
		if (got != rows[i].want)
			fail_msg("row %zu: %llu, wanted %llu", i, (unsigned long long)got,
				 (unsigned long long)rows[i].want);
	}
}

static void limits_of_gates_have_the_unit_of_the_metric(void **state)
{
	(void)state;
	static const struct {
		enum plan_metric metric;
		const char *text;
		double want;
	} rows[] = {
		{PLAN_METRIC_THROUGHPUT, "800 MB/s", 800e6},
		{PLAN_METRIC_THROUGHPUT, "1MiB/s", 1048576},
		{PLAN_METRIC_IOPS, "20000", 20000},
		{PLAN_METRIC_ERRORS, "0", 0},
		{PLAN_METRIC_SPREAD, "10%", 10},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_gate gate = {.metric = rows[i].metric};
		assert_true(plan_gate_limit(&gate, rows[i].text) == rows[i].want);
	}
	struct plan_gate gate = {.metric = PLAN_METRIC_IOPS};
	assert_true(isnan(plan_gate_limit(&gate, NULL)));
}

static void plans_that_look_odd_but_are_right_are_taken(void **state)
{
	(void)state;
	static const char *const texts[] = {
		/* a device is used whole; a file may get its size from the phase */
		HEAD "phases: [{name: r, op: read, targets: [raw], runtime: 5s}]\n",
		"name: plan\nfleet: {agents: [{local: 1}]}\ntargets: {x: {path: x}}\n"
		"phases: [{name: w, op: write, targets: [x], size: 1GiB}]\n",
		/* reads may share what they read */
		HEAD "phases: [{name: r, op: read, targets: [disk, raw], runtime: 5s}]\n",
		"name: plan\nfleet: {agents: [{local: 1}]}\n"
		"targets: {a: {device: /dev/sda}, b: {device: /dev/sdb}, s: {stripe: [a, b]}}\n"
		"phases: [{name: r, op: read, targets: [a, s], runtime: 5s}]\n",
		/* two file systems on one disk are written at once */
		"name: plan\nfleet: {agents: [{local: 1}]}\n"
		"targets: {a: {device: /dev/sda}, x: {path: /x, size: 1GiB, members: [a]},\n"
		"          y: {path: /y, size: 1GiB, members: [a]}}\n"
		"phases: [{name: w, op: write, targets: [x, y], runtime: 5s}]\n",
		/* a deep queue on null, also as a stripe */
		"name: plan\nfleet: {agents: [{local: 1}]}\n"
		"targets: {a: {null: true, size: 1GiB}, b: {null: true, size: 1GiB},\n"
		"          s: {stripe: [a, b]}}\n"
		"phases: [{name: w, op: write, targets: [a, b], runtime: 5s, queue_depth: 32},\n"
		"         {name: s, op: write, targets: [s], runtime: 5s, queue_depth: 32}]\n",
		/* a deep queue on what may have io_uring; sync with a deep queue on null */
		HEAD
		"phases: [{name: r, op: read, targets: [disk], runtime: 5s, queue_depth: 32},\n"
		"         {name: u, op: read, targets: [disk], runtime: 5s, queue_depth: 32,\n"
		"          engine: uring}]\n",
		"name: plan\nfleet: {agents: [{local: 1}]}\n"
		"targets: {a: {null: true, size: 1GiB}}\n"
		"phases: [{name: w, op: write, targets: [a], runtime: 5s, queue_depth: 32,\n"
		"          engine: sync}]\n",
		/* names to their limit */
		"name: A.b_c-9\nfleet: {agents: [{local: 1}]}\n"
		"targets: {a123456789012345678901234567890123456789012345678901234567890123:\n"
		"           {null: true, size: 1GiB}}\n"
		"phases: [{name: ..., op: write, runtime: 5s, targets: [\n"
		"  a123456789012345678901234567890123456789012345678901234567890123]}]\n",
		/* both limits, and a gate on each metric */
		HEAD "phases: [{name: w, op: mixed, read_percent: 70%, targets: [disk], runtime: "
		     "5s}]\n"
		     "gates:\n"
		     "  - {phase: w, metric: throughput, of: host, at_least: 1 MB/s, at_most: 2 "
		     "MB/s}\n"
		     "  - {phase: w, metric: errors, of: target, at_most: 0}\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct plan plan;
		read_plan(&plan, texts[i]);
		plan_release(&plan);
	}
}

static void read_config(const char *path, const char *name)
{
	struct yaml_errors errors = {.file = path};
	bool ok;

	if (strcmp(name, "agent.yaml") == 0) {
		struct agent_config config = {0};
		struct bytes bytes;
		struct error err;
		/* Whoever checked it out owns it, by any umask. */
		if (file_read(path, 1 << 20, &bytes, &err) < 0)
			fail_msg("%s", err.text);
		ok = agent_config_parse(&config, (const char *)bytes.data, bytes.size, &errors);
		free(bytes.data);
		record_release(&agent_config_table, &config);
	} else {
		struct plan plan;
		ok = plan_read(&plan, path, NULL, 0, &errors);
		if (ok) {
			if (plan_warn(&plan, NULL, 0) > 0)
				fail_msg("%s: check --strict refuses it", path);
			plan_release(&plan);
		}
	}
	if (!ok)
		fail_msg("%s", errors.lines[0]);
	yaml_errors_release(&errors);
}

static void each_file_in_configs_is_right(void **state)
{
	(void)state;
	DIR *directory = opendir(TEST_DATA "/../configs");
	uint32_t count = 0;

	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (entry->d_name[0] == '.')
			continue;
		char *path = mem_format("%s/../configs/%s", TEST_DATA, entry->d_name);
		read_config(path, entry->d_name);
		free(path);
		count++;
	}
	closedir(directory);
	assert_true(count >= 3);
}

/* An example of README.md: from its line that begins so, without the indent, to an empty line. */
static void take_example(const char *begin, const char *into)
{
	FILE *readme = fopen(TEST_DATA "/../README.md", "r"), *file = fopen(into, "w");
	char line[512];
	bool found = false;

	assert_non_null(readme);
	assert_non_null(file);
	while (fgets(line, sizeof(line), readme) && !(found && line[0] == '\n')) {
		found = found || strncmp(line, begin, strlen(begin)) == 0;
		if (found)
			fputs(line + strspn(line, " "), file);
	}
	assert_true(found);
	fclose(readme);
	assert_int_equal(fclose(file), 0);
}

static void the_plan_of_the_readme_is_right(void **state)
{
	(void)state;
	char path[] = "/tmp/muster-readme-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	take_example("    name: first-fleet\n", path);
	read_config(path, "fleet.yaml");
	unlink(path);
}

static void a_mix_of_block_sizes_is_read_and_its_largest_is_the_block(void **state)
{
	(void)state;
	struct plan plan;
	read_plan(&plan, HEAD "defaults: {block_size: {4KiB: 70%, 64KiB: 30%}, access: random,\n"
			      "  targets: [disk], op: read, runtime: 5s}\n"
			      "phases: [{name: a}, {name: b, block_size: 8KiB}]\n");
	assert_int_equal(plan.phases[0].block_size, 64 << 10);
	assert_int_equal(plan.phases[0].block_mix_count, 2);
	assert_int_equal(plan.phases[0].block_mix[0].size, 4 << 10);
	assert_int_equal(plan.phases[0].block_mix[0].share, 70);
	assert_int_equal(plan.phases[1].block_size, 8 << 10);
	assert_int_equal(plan.phases[1].block_mix_count, 0);
	plan_release(&plan);
}

/* Its keys are numbers, which JSON has not: it is a list there. */
static void a_mix_survives_json(void **state)
{
	(void)state;
	static struct block_share mix[] = {{4096, 70}, {65536, 30}};
	struct phase phase = {.name = "p",
			      .block_size = 65536,
			      .block_mix = mix,
			      .block_mix_count = 2,
			      .workers = 1,
			      .queue_depth = 1};
	struct phase back = {0};
	struct error err;
	char *text = record_json_format(&phase_table, &phase);

	if (record_json_parse(&phase_table, &back, text, &err))
		fail_msg("%s in %s", err.text, text);
	assert_true(phase_blocks_are_alike(&phase, &back));
	record_release(&phase_table, &back);
	free(text);
}

static void a_rate_is_of_bytes_or_operations(void **state)
{
	(void)state;
	struct plan plan;
	read_plan(&plan,
		  HEAD "defaults: {rate: 100 MiB/s, targets: [disk], op: read, runtime: 5s}\n"
		       "phases: [{name: a}, {name: b, rate: 500/s}]\n");
	assert_int_equal(plan.phases[0].rate_bytes, 100 << 20);
	assert_int_equal(plan.phases[0].rate_operations, 0);
	assert_int_equal(plan.phases[1].rate_bytes, 0);
	assert_int_equal(plan.phases[1].rate_operations, 500);
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_written_has_its_fallback),
		cmocka_unit_test(phases_inherit_what_they_do_not_say),
		cmocka_unit_test(auto_sync_is_end_where_a_phase_writes),
		cmocka_unit_test(settings_replace_what_is_written),
		cmocka_unit_test(a_host_that_differs_keeps_what_it_does_not_say),
		cmocka_unit_test(an_override_that_is_something_else_drops_what_the_target_was),
		cmocka_unit_test(hosts_stand_in_the_order_of_the_plan),
		cmocka_unit_test(sizes_follow_the_memory_of_the_host),
		cmocka_unit_test(limits_of_gates_have_the_unit_of_the_metric),
		cmocka_unit_test(plans_that_look_odd_but_are_right_are_taken),
		cmocka_unit_test(each_file_in_configs_is_right),
		cmocka_unit_test(the_plan_of_the_readme_is_right),
		cmocka_unit_test(a_mix_of_block_sizes_is_read_and_its_largest_is_the_block),
		cmocka_unit_test(a_mix_survives_json),
		cmocka_unit_test(a_rate_is_of_bytes_or_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
