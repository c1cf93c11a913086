#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/layers.h"
#include "tests/unit/rules_scene.h"

/* A phase on some of the targets a, b, c, s (a stripe over a, b), with the rate of each in MB/s;
 * the end of a list is a name of NULL. */
struct load {
	const char *target;
	double rate;
};
struct step_of_plan {
	const char *name, *op;
	struct load loads[4];
};

static void add_targets(struct sample *sample)
{
	struct plan *plan = sample_plan(sample);
	static const char *const names[] = {"a", "b", "c", "s"};

	for (size_t i = 0; i < 4; i++) {
		struct target *target = RECORD_APPEND(plan->targets, plan->targets_count);
		target->name = mem_text(names[i]);
		for (size_t part = 0; i == 3 && part < 2; part++) {
			struct name *name = RECORD_APPEND(target->stripe, target->stripe_count);
			name->name = mem_text(names[part]);
		}
	}
}

static void add_phase(struct sample *sample, const struct step_of_plan *step, uint32_t hosts,
		      uint32_t seconds, double slow_host)
{
	uint64_t start_ns = (1 + 100 * (uint64_t)sample->result.phases_count) * S;
	struct random random = {.state = 9};
	uint32_t count = 0;

	while (count < 4 && step->loads[count].target)
		count++;
	struct result_phase *phase =
		sample_phase(sample, step->name, step->op, start_ns, hosts, count);
	for (uint32_t h = 0; h < hosts; h++)
		for (uint32_t t = 0; t < count; t++) {
			double slow = h == 1 && count > 1 ? slow_host : 1;
			free(phase->hosts[h].targets[t].target);
			phase->hosts[h].targets[t].target = mem_text(step->loads[t].target);
			scene_load(sample, h, t, seconds, slow * step->loads[t].rate * 1e6, 0.01,
				   NULL, &random);
		}
	scene_finish(sample, true);
	struct phase *asked = &sample->result.plan->phases[sample->result.plan->phases_count - 1];
	for (uint32_t t = 0; t < count; t++) {
		struct name *name = RECORD_APPEND(asked->targets, asked->targets_count);
		name->name = mem_text(step->loads[t].target);
	}
}

static struct sample make(const struct step_of_plan *steps, uint32_t hosts, uint32_t seconds,
			  double slow_host)
{
	struct sample sample = {0};

	sample.result.min_window_ns = S;
	for (; steps->name; steps++)
		add_phase(&sample, steps, hosts, seconds, slow_host);
	add_targets(&sample);
	return sample;
}

/* "LEVEL CODE phase host, …" of all findings. */
static void expect(struct sample *sample, const char *wanted)
{
	char text[4096] = "";

	layers_check(&sample->result);
	for (uint32_t f = 0; f < sample->result.findings_count; f++) {
		const struct result_finding *finding = &sample->result.findings[f];
		size_t used = strlen(text);
		if (text_is(finding->level, "INVALID"))
			continue;
		snprintf(text + used, sizeof(text) - used, "%s%s %s %s%s%s", used ? ", " : "",
			 finding->level, finding->code, finding->phase, finding->host ? " " : "",
			 finding->host ? finding->host : "");
		assert_non_null(finding->advice);
	}
	if (strcmp(text, wanted) != 0)
		fail_msg("'%s', not '%s'", text, wanted);
}

static void levels_on_either_side(void **state)
{
	(void)state;
	assert_string_equal(layers_level(0.79), "WARN");
	assert_string_equal(layers_level(0.80), "NOTE");
	assert_string_equal(layers_level(0.94), "NOTE");
	assert_null(layers_level(0.95));
	assert_null(layers_level(1.3));
	assert_null(layers_level(NAN));
}

static void layers(void **state)
{
	static const struct {
		struct step_of_plan steps[5];
		const char *wanted;
	} cases[] = {
		/* nothing shared, nothing lost */
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"ab", "read", {{"a", 495}, {"b", 495}}},
		  {"s", "read", {{"s", 980}}}},
		 ""},
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"ab", "read", {{"a", 270}, {"b", 270}}}},
		 "WARN SHARED_LIMIT ab h1"},
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"ab", "read", {{"a", 450}, {"b", 450}}}},
		 "NOTE SHARED_LIMIT ab h1"},
		/* the stripe is not to blame for what its parts share */
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"ab", "read", {{"a", 270}, {"b", 270}}},
		  {"s", "read", {{"s", 530}}}},
		 "WARN SHARED_LIMIT ab h1"},
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"ab", "read", {{"a", 500}, {"b", 500}}},
		  {"s", "read", {{"s", 780}}}},
		 "WARN STRIPE_LOSS s h1"},
		/* without them together, the sum of each alone */
		{{{"a", "read", {{"a", 500}}},
		  {"b", "read", {{"b", 500}}},
		  {"s", "read", {{"s", 780}}}},
		 "WARN STRIPE_LOSS s h1"},
		/* one alone, or other work, is no comparison */
		{{{"a", "read", {{"a", 500}}}, {"ab", "read", {{"a", 100}, {"b", 100}}}}, ""},
		{{{"a", "write", {{"a", 500}}},
		  {"b", "write", {{"b", 500}}},
		  {"ab", "read", {{"a", 100}, {"b", 100}}}},
		 ""},
		{{{"w", "write", {{"a", 240}}}, {"r", "read", {{"a", 70}}}},
		 "WARN READ_SLOWER_THAN_WRITE r"},
		{{{"w", "write", {{"a", 240}}}, {"r", "read", {{"a", 200}}}}, ""},
		{{{"w", "write", {{"a", 240}}}, {"r", "read", {{"b", 70}}}}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample = make(cases[i].steps, 1, 15, 1);
		expect(&sample, cases[i].wanted);
		sample_release(&sample);
		sample = make(cases[i].steps, 1, 9, 1); /* too short to say */
		expect(&sample, "");
		sample_release(&sample);
	}
}

static const struct step_of_plan sharing[] = {{"a", "read", {{"a", 500}}},
					      {"b", "read", {{"b", 500}}},
					      {"ab", "read", {{"a", 500}, {"b", 500}}},
					      {NULL, NULL, {{NULL, 0}}}};

static void a_single_host_that_shares_is_named(void **state)
{
	struct sample sample = make(sharing, 8, 15, 0.6);

	(void)state;
	expect(&sample, "WARN SHARED_LIMIT ab h2");
	assert_non_null(strstr(sample.result.findings[0].evidence, "60 % of that"));
	sample_release(&sample);
}

static void an_invalid_phase_is_held_against_nothing(void **state)
{
	struct sample sample = make(sharing, 1, 15, 1);

	(void)state;
	sample.result.phases[2].cluster->all_active_bytes_per_s /= 2;
	findings_add(&sample.result, "CACHE_SERVED", "INVALID", &sample.result.phases[0], NULL,
		     NULL, NULL, "from memory");
	expect(&sample, "");
	sample_release(&sample);
}

static void other_depth_is_no_comparison(void **state)
{
	struct sample sample = make(sharing, 1, 15, 1);

	(void)state;
	sample.result.phases[2].cluster->all_active_bytes_per_s /= 2;
	sample.result.plan->phases[2].workers = 4;
	expect(&sample, "");
	sample_release(&sample);
}

/* 1200 written, 200 read, 30 % of what was written on the devices. */
static void the_worked_example_has_its_first_cause(void **state)
{
	static const struct step_of_plan steps[] = {{"w", "write", {{"a", 1200}}},
						    {"r", "read", {{"a", 200}}},
						    {NULL, NULL, {{NULL, 0}}}};
	struct sample sample = make(steps, 1, 15, 1);

	(void)state;
	sample_device(&sample.result.phases[0], 0, "sda", "a", 0.30);
	expect(&sample, "WARN READ_SLOWER_THAN_WRITE r");
	const char *evidence = sample.result.findings[0].evidence;
	assert_non_null(strstr(evidence, "0.17 of it"));
	assert_non_null(strstr(evidence, "70 % of the written bytes had not reached the device"));
	sample_release(&sample);
}

/* Twice as fast as long as its sync is left out. */
static void the_sync_at_the_end_is_part_of_a_write(void **state)
{
	static const struct step_of_plan steps[] = {{"w", "write", {{"a", 400}}},
						    {"r", "read", {{"a", 220}}},
						    {NULL, NULL, {{NULL, 0}}}};
	struct sample sample = make(steps, 1, 15, 1);
	struct result_target *target = &sample.result.phases[0].hosts[0].targets[0];

	(void)state;
	target->throughput_with_sync_bytes_per_s = target->throughput_bytes_per_s / 2;
	expect(&sample, "");
	sample_release(&sample);
}

static void the_slow_part_of_a_stripe_is_named(void **state)
{
	static const struct step_of_plan steps[] = {{"a", "read", {{"a", 500}}},
						    {"b", "read", {{"b", 200}}},
						    {"s", "read", {{"s", 395}}},
						    {NULL, NULL, {{NULL, 0}}}};
	struct sample sample = make(steps, 1, 15, 1);

	(void)state;
	expect(&sample, "WARN STRIPE_LOSS s h1");
	assert_non_null(
		strstr(sample.result.findings[0].evidence, "2 times its slowest part, 'b'"));
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_on_either_side),
		cmocka_unit_test(layers),
		cmocka_unit_test(a_single_host_that_shares_is_named),
		cmocka_unit_test(an_invalid_phase_is_held_against_nothing),
		cmocka_unit_test(other_depth_is_no_comparison),
		cmocka_unit_test(the_worked_example_has_its_first_cause),
		cmocka_unit_test(the_sync_at_the_end_is_part_of_a_write),
		cmocka_unit_test(the_slow_part_of_a_stripe_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
