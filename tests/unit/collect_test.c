#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/collect.h"

/* Two hosts, one target, buckets of 100 ms, one bucket of ramp. Agent clocks are far off. */
struct setting {
	struct plan plan;
	struct phase phase;
	struct name target;
	struct plan_host plan_hosts[2];
	struct fleet_host hosts[2];
	struct fleet fleet;
	struct result result;
	struct result_series series;
	struct collect collect;
};

static const uint64_t offsets[2] = {UINT64_C(5000000000000), UINT64_C(77)};

static struct setting *set_up(void)
{
	struct setting *s = mem_new(1, sizeof(*s));
	s->plan.bucket = 100 * NS_PER_MS;
	s->target.name = "t";
	s->phase = (struct phase){.name = "p",
				  .op = PHASE_OP_WRITE,
				  .targets = &s->target,
				  .targets_count = 1,
				  .ramp = 30 * NS_PER_MS,
				  .runtime = NS_PER_S};
	s->collect = (struct collect){.result = &s->result,
				      .series = &s->series,
				      .run_start_ns = clock_now_ns() - 20 * NS_PER_S};
	for (int i = 0; i < 2; i++) {
		s->plan_hosts[i].name = i ? "b" : "a";
		s->hosts[i].plan = &s->plan_hosts[i];
		s->hosts[i].in_phase = true;
		s->hosts[i].status = FLEET_STATUS_LEASED;
	}
	s->fleet = (struct fleet){.hosts = s->hosts, .count = 2};
	collect_begin(&s->collect, &s->fleet, &s->plan, &s->phase, 1, false);
	s->collect.start_ns = s->collect.run_start_ns + 10 * NS_PER_S;
	for (int i = 0; i < 2; i++) {
		struct border *border =
			RECORD_APPEND(s->hosts[i].borders, s->hosts[i].borders_count);
		border->at_ns = s->collect.start_ns + offsets[i];
		s->hosts[i].is_started = true;
	}
	return s;
}

static void tear_down(struct setting *s)
{
	for (int i = 0; i < 2; i++) {
		record_release(&done_table, &s->hosts[i].done);
		free(s->hosts[i].borders);
	}
	collect_release(&s->collect);
	record_release(&result_table, &s->result);
	free(s);
}

static void add(struct setting *s, uint32_t host, uint32_t target, uint32_t bucket, uint64_t bytes,
		uint64_t worst)
{
	struct timeline_bucket one = {.target = target,
				      .bucket = bucket,
				      .bytes_written = bytes,
				      .operations = bytes / 1000,
				      .worst_ns = worst};
	struct timeline batch = {.sequence = 1, .buckets = &one, .buckets_count = 1};
	collect_timeline(&s->collect, host, &batch);
}

static void finish(struct setting *s, int host, uint64_t bytes, uint64_t ramp_bytes)
{
	struct fleet_host *h = &s->hosts[host];
	struct done_target *t = RECORD_APPEND(h->done.targets, h->done.targets_count);
	t->target = mem_text("t");
	t->bytes_written = bytes;
	t->ramp_bytes_written = ramp_bytes;
	t->operations = bytes / 1000;
	t->ramp_operations = ramp_bytes / 1000;
	t->first_io_ns = h->borders[0].at_ns + 5;
	t->last_io_ns = h->borders[0].at_ns + 1100 * NS_PER_MS;
	h->is_done = true;
}

static void increments_add_up_and_times_are_the_controllers(void **state)
{
	(void)state;
	struct setting *s = set_up();
	for (int i = 0; i < 2; i++) {
		add(s, (uint32_t)i, 0, 0, 1000, 5);
		add(s, (uint32_t)i, 0, 1, 2000, 9);
		add(s, (uint32_t)i, 0, 1, 3000, 7); /* a late booking */
		add(s, (uint32_t)i, 0, 10, 4000, 1);
		finish(s, i, 9000, 1000);
	}
	collect_end(&s->collect, &s->fleet);
	const struct result_phase *phase = &s->result.phases[0];
	assert_int_equal(phase->ramp_ns, 100 * NS_PER_MS);
	for (int i = 0; i < 2; i++) {
		const struct result_phase_host *host = &phase->hosts[i];
		assert_string_equal(host->state, "complete");
		assert_int_equal(host->targets[0].bytes, 9000);
		assert_int_equal(host->targets[0].ramp_bytes, 1000);
		assert_int_equal(host->targets[0].first_io_ns, 10 * NS_PER_S + 5);
		assert_int_equal(s->series.phases[0].series[i][0].count, 11);
		assert_int_equal(s->series.phases[0].series[i][0].buckets[1].bytes_written, 5000);
		assert_int_equal(s->series.phases[0].series[i][0].buckets[1].worst_ns, 9);
		/* From the end of the ramp to the last completion is exactly a second. */
		assert_true(fabs(host->targets[0].throughput_bytes_per_s - 9000) < 1e-6);
	}
	assert_non_null(phase->cluster);
	tear_down(s);
}

static void a_timeline_that_does_not_add_up_breaks_the_host(void **state)
{
	(void)state;
	struct setting *s = set_up();
	for (int i = 0; i < 2; i++) {
		add(s, (uint32_t)i, 0, 1, 5000, 1);
		finish(s, i, i ? 5001 : 5000, 0);
	}
	collect_end(&s->collect, &s->fleet);
	assert_string_equal(s->result.phases[0].hosts[0].state, "complete");
	assert_string_equal(s->result.phases[0].hosts[1].state, "broken");
	assert_null(s->result.phases[0].cluster);
	tear_down(s);
}

static void a_lost_host_keeps_what_it_had_sent(void **state)
{
	(void)state;
	struct setting *s = set_up();
	add(s, 0, 0, 1, 5000, 1);
	finish(s, 0, 5000, 0);
	add(s, 1, 0, 0, 1000, 1);
	add(s, 1, 0, 1, 3000, 1);
	s->hosts[1].status = FLEET_STATUS_LOST;
	s->hosts[1].why = "gone";
	s->hosts[1].lost_ns = s->collect.run_start_ns + 12 * NS_PER_S;
	collect_end(&s->collect, &s->fleet);
	const struct result_phase_host *host = &s->result.phases[0].hosts[1];
	assert_string_equal(host->state, "lost");
	assert_string_equal(host->text, "gone");
	assert_int_equal(host->lost_at_ns, 12 * NS_PER_S);
	assert_int_equal(host->targets[0].bytes, 3000);
	assert_int_equal(host->targets[0].ramp_bytes, 1000);
	assert_null(s->result.phases[0].cluster);
	assert_non_null(s->result.phases[0].cluster_partial);
	tear_down(s);
}

static void what_a_peer_cannot_mean_takes_no_memory_and_loses_nothing(void **state)
{
	(void)state;
	struct setting *s = set_up();
	const struct series *series = &s->series.phases[0].series[0][0];
	add(s, 0, 1, 0, 1000, 1); /* no such target */
	assert_int_equal(s->collect.dropped, 1);
	assert_int_equal(series->count, 0);
	add(s, 0, 0, UINT32_MAX, 1000, 1); /* 13 years ahead */
	assert_int_equal(s->collect.dropped, 1);
	/* The phase began 10 s ago, and clocks may be 10 s apart. */
	assert_in_range(series->count, 100 + 100, 100 + 100 + 100);
	assert_int_equal(series->buckets[series->count - 1].bytes_written, 1000);
	finish(s, 0, 1000, 0);
	finish(s, 1, 0, 0);
	collect_end(&s->collect, &s->fleet);
	assert_string_equal(s->result.phases[0].hosts[0].state, "complete");
	tear_down(s);
}

/* Its start is further ahead than a bucket's instant may be off. */
static void a_bucket_long_before_the_start_takes_no_memory(void **state)
{
	(void)state;
	struct setting *s = set_up();
	s->collect.start_ns = clock_now_ns() + 60 * NS_PER_S;
	add(s, 0, 0, UINT32_MAX - 1, 1000, 5);
	assert_int_equal(s->series.phases[0].series[0][0].count, 1);
	assert_int_equal(s->series.phases[0].series[0][0].buckets[0].bytes_written, 1000);
	tear_down(s);
}

static void a_timeline_before_the_first_start_is_ignored(void **state)
{
	(void)state;
	struct result result = {0};
	struct result_series series = {0};
	struct collect collect = {.result = &result, .series = &series, .run_start_ns = 1};
	struct timeline_bucket one = {.bytes_written = 1};
	struct timeline batch = {.sequence = 1, .buckets = &one, .buckets_count = 1};
	collect_timeline(&collect, 0, &batch);
	assert_int_equal(collect.bytes, 0);
}

static void a_host_lost_in_an_earlier_phase_is_missed_in_the_next(void **state)
{
	(void)state;
	struct setting *s = set_up();
	finish(s, 0, 0, 0);
	s->hosts[1].status = FLEET_STATUS_LOST;
	s->hosts[1].why = "gone";
	collect_end(&s->collect, &s->fleet);
	s->hosts[1].in_phase = false;
	collect_begin(&s->collect, &s->fleet, &s->plan, &s->phase, 2, false);
	s->collect.start_ns = s->collect.run_start_ns + 15 * NS_PER_S;
	collect_end(&s->collect, &s->fleet);
	const struct result_phase *phase = &s->result.phases[1];
	assert_int_equal(phase->hosts_count, 2);
	assert_string_equal(phase->hosts[1].state, "lost");
	assert_null(phase->cluster);
	assert_int_equal(phase->cluster_partial->of, 2);
	tear_down(s);
}

static void a_phase_with_a_size_is_an_amount_though_it_has_a_runtime(void **state)
{
	(void)state;
	static const struct {
		const char *size, *want;
	} cases[] = {{NULL, "all_active"}, {"1MiB", "span"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setting *s = set_up();
		s->phase.size = (char *)cases[i].size;
		finish(s, 0, 0, 0);
		finish(s, 1, 0, 0);
		collect_end(&s->collect, &s->fleet);
		assert_string_equal(s->result.phases[0].cluster->headline, cases[i].want);
		tear_down(s);
	}
}

static void another_attempt_replaces_the_phase(void **state)
{
	(void)state;
	struct setting *s = set_up();
	add(s, 0, 0, 1, 5000, 1);
	collect_begin(&s->collect, &s->fleet, &s->plan, &s->phase, 1, true);
	assert_int_equal(s->result.phases_count, 1);
	assert_int_equal(s->series.phases[0].series[0][0].count, 0);
	finish(s, 0, 0, 0);
	finish(s, 1, 0, 0);
	collect_end(&s->collect, &s->fleet);
	tear_down(s);
}

/* A day, fast forward: what is kept of it is what was said before. */
static void a_day_takes_the_memory_that_was_computed(void **state)
{
	(void)state;
	struct setting *s = set_up();
	const uint32_t buckets = 24 * 3600 * 10;
	uint64_t held = 0;

	s->collect.start_ns = s->collect.run_start_ns = clock_now_ns() - 24 * 3600 * NS_PER_S;
	for (uint32_t bucket = 0; bucket < buckets; bucket++)
		for (uint32_t host = 0; host < 2; host++)
			add(s, host, 0, bucket, 1000, 5);
	for (uint32_t host = 0; host < 2; host++) {
		const struct series *series = &s->series.phases[0].series[host][0];
		assert_int_equal(series->count, buckets);
		held += series->room * sizeof(*series->buckets) + sizeof(*series) +
			sizeof(struct histogram);
	}
	held += 2 * buckets * sizeof(struct series_edge); /* of each bucket, at the end */
	assert_int_equal(held, 2 * collect_memory(buckets, 1));
	assert_in_range(held, 50 << 20, 200 << 20);
	tear_down(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_takes_the_memory_that_was_computed),
		cmocka_unit_test(increments_add_up_and_times_are_the_controllers),
		cmocka_unit_test(a_timeline_that_does_not_add_up_breaks_the_host),
		cmocka_unit_test(a_lost_host_keeps_what_it_had_sent),
		cmocka_unit_test(what_a_peer_cannot_mean_takes_no_memory_and_loses_nothing),
		cmocka_unit_test(a_bucket_long_before_the_start_takes_no_memory),
		cmocka_unit_test(a_timeline_before_the_first_start_is_ignored),
		cmocka_unit_test(a_host_lost_in_an_earlier_phase_is_missed_in_the_next),
		cmocka_unit_test(a_phase_with_a_size_is_an_amount_though_it_has_a_runtime),
		cmocka_unit_test(another_attempt_replaces_the_phase),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
