#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("is %g, wanted %g +- %g", is, want, within);
}

/* 60 s, 60 s, and 5 to 95 s. */
static void three_hosts_of_which_one_is_late(struct sample *sample)
{
	*sample = (struct sample){0};
	sample_phase(sample, "p", "read", 3 * S, 3, 1);
	sample_load(sample, 0, 0, 0, 60 * S, 60000 * MB, 60000);
	sample_load(sample, 1, 0, 0, 60 * S, 60000 * MB, 60000);
	sample_load(sample, 2, 0, 5 * S, 95 * S, 45000 * MB, 45000);
}

static void a_timed_phase_is_headed_by_its_all_active_window(void **state)
{
	struct sample sample;

	(void)state;
	three_hosts_of_which_one_is_late(&sample);
	window_compute(&sample.result.phases[0], &sample.series.phases[0], true);
	const struct result_cluster *cluster = sample.result.phases[0].cluster;
	assert_non_null(cluster);
	assert_null(sample.result.phases[0].cluster_partial);
	assert_string_equal(cluster->headline, "all_active");
	assert_int_equal(cluster->all_active_start_ns, 8 * S);
	assert_int_equal(cluster->all_active_window_ns, 55 * S);
	assert_near(cluster->all_active_bytes_per_s / 1e6, 2500, 0.001);
	assert_near(cluster->span_bytes_per_s / 1e6, 1736.842, 0.001);
	assert_near(cluster->sum_of_averages_bytes_per_s / 1e6, 2500, 0.001);
	assert_near(cluster->gap, 1, 1e-6);
	assert_near(cluster->iops, 2500, 0.1);
	assert_int_equal(cluster->bytes, 165000 * MB);
	sample_release(&sample);
}

static void a_fixed_amount_is_headed_by_its_span(void **state)
{
	struct sample sample;

	(void)state;
	three_hosts_of_which_one_is_late(&sample);
	window_compute(&sample.result.phases[0], &sample.series.phases[0], false);
	const struct result_cluster *cluster = sample.result.phases[0].cluster;
	assert_string_equal(cluster->headline, "span");
	assert_near(cluster->gap, 1.439, 0.001);
	assert_near(cluster->iops, 165000.0 / 95, 0.01);
	sample_release(&sample);
}

/* Four of 60 GB, one of which takes 90 s. */
static void a_straggler_shows_in_the_span_and_not_in_the_sum(void **state)
{
	struct sample sample = {0};

	(void)state;
	sample_phase(&sample, "p", "write", 0, 4, 1);
	for (uint32_t h = 0; h < 4; h++)
		sample_load(&sample, h, 0, 0, (h == 3 ? 90 : 60) * S, 60000 * MB, 60000);
	window_compute(&sample.result.phases[0], &sample.series.phases[0], false);
	const struct result_cluster *cluster = sample.result.phases[0].cluster;
	assert_near(cluster->sum_of_averages_bytes_per_s / 1e6, 3666.667, 0.001);
	assert_near(cluster->span_bytes_per_s / 1e6, 2666.667, 0.001);
	sample_release(&sample);
}

/* IOR with -D 10: three ranks do 1,000 MiB in 10 s, the fourth 400. With wear-out it goes on until
 * it did as much, 25 s in all: 160 MiB/s where the deadline's figure is 340. */
static void wear_out_tells_what_the_deadline_hides(void **state)
{
	const uint64_t mib = UINT64_C(1) << 20;
	double rates[2];

	(void)state;
	for (int wears_out = 0; wears_out < 2; wears_out++) {
		struct sample sample = {0};
		sample_phase(&sample, "p", "write", 0, 4, 1);
		for (uint32_t h = 0; h < 4; h++) {
			uint64_t slow = h == 3;
			uint64_t amount = slow && !wears_out ? 400 : 1000;
			sample_load(&sample, h, 0, 0, (slow && wears_out ? 25 : 10) * S,
				    amount * mib, amount);
		}
		window_compute(&sample.result.phases[0], &sample.series.phases[0], !wears_out);
		const struct result_cluster *cluster = sample.result.phases[0].cluster;
		rates[wears_out] =
			wears_out ? cluster->span_bytes_per_s : cluster->all_active_bytes_per_s;
		assert_near(cluster->sum_of_averages_bytes_per_s / (double)mib, 340, 0.01);
		sample_release(&sample);
	}
	assert_near(rates[0] / (double)mib, 340, 0.01);
	assert_near(rates[1] / (double)mib, 160, 0.01);
	assert_near(rates[1] / rates[0], 0.47, 0.001);
}

/* h1 100/s for t = 0..3, h2 50/s for t = 1..4. */
static void the_window_holds_only_what_all_did_together(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", 0, 2, 1);
	phase->bucket_ns = S;
	sample_load(&sample, 0, 0, 0, 4 * S, 400, 400);
	sample_load(&sample, 1, 0, S, 5 * S, 200, 200);
	window_compute(phase, &sample.series.phases[0], true);
	assert_int_equal(phase->cluster->all_active_start_ns, S);
	assert_int_equal(phase->cluster->all_active_window_ns, 3 * S);
	assert_near(phase->cluster->all_active_bytes_per_s, 150, 1e-9);
	sample_release(&sample);
}

static void the_window_is_whole_buckets_after_the_ramp(void **state)
{
	/* Two targets of one host; ms after the start; buckets of 100 ms. */
	static const struct {
		uint64_t ramp, from[2], to[2];
		uint64_t want_start, want_length;
	} cases[] = {
		{0, {0, 0}, {3000, 3000}, 0, 3000},
		{0, {1, 0}, {3000, 3000}, 100, 2900},
		{0, {50, 20}, {2970, 2999}, 100, 2800},
		{0, {100, 0}, {2900, 3000}, 100, 2800},
		{1000, {1, 2}, {3001, 3010}, 1000, 2000},
		{1000, {1250, 0}, {3000, 3000}, 1300, 1700},
		{0, {0, 0}, {3000, 99}, 0, 0},
		{0, {0, 2000}, {1000, 3000}, 0, 0},
		{1000, {0, 0}, {900, 3000}, 0, 0},
		{0, {110, 0}, {190, 3000}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample = {0};
		struct result_phase *phase = sample_phase(&sample, "p", "read", 7 * S, 1, 2);
		phase->ramp_ns = cases[i].ramp * NS_PER_MS;
		for (uint32_t t = 0; t < 2; t++)
			sample_load(&sample, 0, t, cases[i].from[t] * NS_PER_MS,
				    cases[i].to[t] * NS_PER_MS, 1000 * MB, 1000);
		window_compute(phase, &sample.series.phases[0], true);
		uint64_t start_ns = phase->cluster->all_active_start_ns;
		uint64_t want_ns =
			cases[i].want_length ? 7 * S + cases[i].want_start * NS_PER_MS : 0;
		if (start_ns != want_ns ||
		    phase->cluster->all_active_window_ns != cases[i].want_length * NS_PER_MS)
			fail_msg("case %zu: start %llu ns, length %llu ns", i,
				 (unsigned long long)start_ns,
				 (unsigned long long)phase->cluster->all_active_window_ns);
		assert_true(isnan(phase->cluster->all_active_bytes_per_s) == !cases[i].want_length);
		sample_release(&sample);
	}
}

static void the_ramp_is_left_out_of_every_figure(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	phase->ramp_ns = 2 * S;
	sample_load(&sample, 0, 0, 0, 10 * S, 1000 * MB, 1000);
	window_compute(phase, &sample.series.phases[0], true);
	window_target_rates(phase, &phase->hosts[0].targets[0]);
	assert_int_equal(phase->cluster->bytes, 800 * MB);
	assert_near(phase->cluster->all_active_bytes_per_s, 100e6, 1);
	assert_near(phase->cluster->span_bytes_per_s, 100e6, 1);
	assert_near(phase->cluster->sum_of_averages_bytes_per_s, 100e6, 1);
	assert_near(phase->hosts[0].targets[0].throughput_bytes_per_s, 100e6, 1);
	assert_near(phase->hosts[0].targets[0].iops, 100, 1e-6);
	sample_release(&sample);
}

static void a_sync_makes_a_targets_second_rate_smaller(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "write", 0, 1, 1);
	struct result_target *target = &phase->hosts[0].targets[0];
	sample_load(&sample, 0, 0, 0, 8 * S, 800 * MB, 800);
	window_target_rates(phase, target);
	assert_true(isnan(target->throughput_with_sync_bytes_per_s));
	target->sync_ns = 2 * S;
	window_target_rates(phase, target);
	assert_near(target->throughput_bytes_per_s, 100e6, 1);
	assert_near(target->throughput_with_sync_bytes_per_s, 80e6, 1);
	sample_release(&sample);
}

static void a_target_without_io_leaves_no_window(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 1);
	sample_load(&sample, 0, 0, 0, 10 * S, 1000 * MB, 1000);
	window_compute(phase, &sample.series.phases[0], true);
	assert_int_equal(phase->cluster->all_active_window_ns, 0);
	assert_true(isnan(phase->cluster->all_active_bytes_per_s));
	assert_true(isnan(phase->cluster->gap));
	assert_true(isnan(phase->cluster->iops));
	assert_near(phase->cluster->span_bytes_per_s, 100e6, 1);
	sample_release(&sample);
}

static void a_lost_host_leaves_a_partial_cluster_of_the_others(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 3, 1);
	for (uint32_t h = 0; h < 3; h++)
		sample_load(&sample, h, 0, 0, (h == 1 ? 3 : 10) * S, 1000 * MB, 1000);
	free(phase->hosts[1].state);
	phase->hosts[1].state = mem_text("lost");
	histogram_add(&sample.series.phases[0].latency[1][0], 77);
	window_compute(phase, &sample.series.phases[0], true);
	assert_null(phase->cluster);
	const struct result_cluster *partial = phase->cluster_partial;
	assert_int_equal(partial->hosts, 2);
	assert_int_equal(partial->of, 3);
	assert_int_equal(partial->bytes, 2000 * MB);
	assert_int_equal(partial->all_active_window_ns, 10 * S);
	assert_int_equal(partial->latency_ns.max, 0);
	assert_near(partial->all_active_bytes_per_s, 200e6, 1);
	sample_release(&sample);
}

static void a_phase_that_nobody_completed_has_no_figures(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	free(phase->hosts[0].state);
	phase->hosts[0].state = NULL;
	window_compute(phase, NULL, true);
	assert_null(phase->cluster);
	assert_int_equal(phase->cluster_partial->hosts, 0);
	assert_true(isnan(phase->cluster_partial->sum_of_averages_bytes_per_s));
	assert_true(isnan(phase->cluster_partial->span_bytes_per_s));
	sample_release(&sample);
}

/* 1000 operations of 1 ms and 10 of 100 ms. The mean of the two p99 would be
 * 50.5 ms. */
static void percentiles_come_from_merged_histograms(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 1);
	for (int i = 0; i < 1000; i++)
		histogram_add(&sample.series.phases[0].latency[0][0], NS_PER_MS);
	for (int i = 0; i < 10; i++)
		histogram_add(&sample.series.phases[0].latency[1][0], 100 * NS_PER_MS);
	window_compute(phase, &sample.series.phases[0], true);
	const struct result_latency *latency = &phase->cluster->latency_ns;
	assert_near(latency->p99, 1e6, 0.008 * 1e6);
	assert_true(isnan(latency->p999)); /* one sample lies beyond */
	assert_int_equal(latency->max, 100 * NS_PER_MS);
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timed_phase_is_headed_by_its_all_active_window),
		cmocka_unit_test(a_fixed_amount_is_headed_by_its_span),
		cmocka_unit_test(a_straggler_shows_in_the_span_and_not_in_the_sum),
		cmocka_unit_test(wear_out_tells_what_the_deadline_hides),
		cmocka_unit_test(the_window_holds_only_what_all_did_together),
		cmocka_unit_test(the_window_is_whole_buckets_after_the_ramp),
		cmocka_unit_test(the_ramp_is_left_out_of_every_figure),
		cmocka_unit_test(a_sync_makes_a_targets_second_rate_smaller),
		cmocka_unit_test(a_target_without_io_leaves_no_window),
		cmocka_unit_test(a_lost_host_leaves_a_partial_cluster_of_the_others),
		cmocka_unit_test(a_phase_that_nobody_completed_has_no_figures),
		cmocka_unit_test(percentiles_come_from_merged_histograms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
