#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "controller/analysis/devices.h"
#include "tests/unit/sample_result.h"

#define HOSTS 2

/* A phase of two agents of one kernel, or of two, each with targets t1 and t2; `moved` MB on each
 * of h1:t1, h1:t2, h2:t1, h2:t2. */
static struct result_phase *make(struct sample *sample, const char *op, bool one_kernel,
				 const uint64_t moved[4])
{
	*sample = (struct sample){0};
	struct result_phase *phase = sample_phase(sample, "p", op, S, HOSTS, 2);
	for (uint32_t h = 0; h < HOSTS; h++) {
		struct result_host *host =
			RECORD_APPEND(sample->result.hosts, sample->result.hosts_count);
		host->host = mem_format("h%u", h + 1);
		host->boot_id = mem_text(one_kernel || h == 0 ? "kernel-a" : "kernel-b");
		for (uint32_t t = 0; t < 2; t++)
			if (moved[h * 2 + t])
				sample_load(sample, h, t, 0, S, moved[h * 2 + t] * MB, 100);
	}
	return phase;
}

static void assert_share(double is, double want)
{
	if (!(fabs(is - want) < 1e-9))
		fail_msg("share is %g, wanted %g", is, want);
}

static struct name t1[] = {{"t1"}}, t2[] = {{"t2"}}, both[] = {{"t1"}, {"t2"}};

static void two_agents_on_one_disk_report_it_once(void **state)
{
	/* The agents looked a little apart, each seeing nearly all of what both did. */
	const struct done_device first[] = {{.device = "sda",
					     .targets = t1,
					     .targets_count = 1,
					     .read_before = 1000 * MB,
					     .read_after = 1190 * MB}};
	const struct done_device second[] = {{.device = "sda",
					      .targets = t1,
					      .targets_count = 1,
					      .read_before = 1010 * MB,
					      .read_after = 1200 * MB}};
	const struct done_device *counters[] = {first, second};
	const uint32_t counts[] = {1, 1};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", true, (uint64_t[]){100, 0, 100, 0});
	devices_merge(&sample.result, phase, counters, counts);
	assert_int_equal(phase->hosts[0].devices_count, 1);
	assert_int_equal(phase->hosts[1].devices_count, 0);
	const struct result_device *device = &phase->hosts[0].devices[0];
	assert_string_equal(device->device, "sda");
	assert_int_equal(device->bytes_read, 200 * MB);
	assert_share(device->share, 1);
	assert_int_equal(device->targets_count, 2);
	assert_string_equal(device->targets[0].name, "t1");
	assert_string_equal(device->targets[1].name, "h2:t1");
	assert_ptr_equal(devices_find(phase, 1, &phase->hosts[1].targets[0]), device);
	assert_null(devices_find(phase, 1, &phase->hosts[1].targets[1]));
	sample_release(&sample);
}

static void the_same_name_on_another_kernel_is_another_disk(void **state)
{
	const struct done_device own[] = {{.device = "sda",
					   .targets = t1,
					   .targets_count = 1,
					   .read_before = 5,
					   .read_after = 5 + 100 * MB}};
	const struct done_device *counters[] = {own, own};
	const uint32_t counts[] = {1, 1};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", false, (uint64_t[]){100, 0, 100, 0});
	devices_merge(&sample.result, phase, counters, counts);
	for (uint32_t h = 0; h < HOSTS; h++) {
		assert_int_equal(phase->hosts[h].devices_count, 1);
		assert_string_equal(phase->hosts[h].devices[0].targets[0].name, "t1");
		assert_share(phase->hosts[h].devices[0].share, 1);
	}
	sample_release(&sample);
}

static void a_target_over_two_disks_has_the_share_of_both(void **state)
{
	const struct done_device loops[] = {
		{.device = "loop0", .targets = t1, .targets_count = 1, .written_after = 60 * MB},
		{.device = "loop1", .targets = t1, .targets_count = 1, .written_after = 40 * MB},
		{.device = "loop2", .targets = t2, .targets_count = 1, .written_after = 25 * MB},
	};
	const struct done_device *counters[] = {loops, NULL};
	const uint32_t counts[] = {3, 0};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "write", false, (uint64_t[]){100, 50, 0, 0});
	devices_merge(&sample.result, phase, counters, counts);
	assert_share(phase->hosts[0].devices[0].share, 1);
	assert_share(phase->hosts[0].devices[1].share, 1);
	assert_share(phase->hosts[0].devices[2].share, 0.5);
	sample_release(&sample);
}

static void targets_that_share_a_disk_are_one_group(void **state)
{
	const struct done_device disk[] = {
		{.device = "sda", .targets = both, .targets_count = 2, .read_after = 120 * MB},
	};
	const struct done_device *counters[] = {disk, NULL};
	const uint32_t counts[] = {1, 0};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", false, (uint64_t[]){100, 100, 0, 0});
	devices_merge(&sample.result, phase, counters, counts);
	assert_share(phase->hosts[0].devices[0].share, 0.6);
	sample_release(&sample);
}

static void each_kind_of_phase_counts_its_own_bytes(void **state)
{
	static const struct {
		const char *op;
		double want;
	} cases[] = {{"read", 1.0}, {"write", 0.5}, {"mixed", 1.5}};
	const struct done_device disk[] = {{.device = "sda",
					    .targets = t1,
					    .targets_count = 1,
					    .read_after = 100 * MB,
					    .written_after = 50 * MB}};
	const struct done_device *counters[] = {disk, NULL};
	const uint32_t counts[] = {1, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		struct result_phase *phase =
			make(&sample, cases[i].op, false, (uint64_t[]){100, 0, 0, 0});
		devices_merge(&sample.result, phase, counters, counts);
		assert_share(phase->hosts[0].devices[0].share, cases[i].want);
		sample_release(&sample);
	}
}

static void the_ramp_counts_for_the_share(void **state)
{
	const struct done_device disk[] = {
		{.device = "sda", .targets = t1, .targets_count = 1, .read_after = 100 * MB},
	};
	const struct done_device *counters[] = {disk, NULL};
	const uint32_t counts[] = {1, 0};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", false, (uint64_t[]){75, 0, 0, 0});
	phase->hosts[0].targets[0].ramp_bytes = 25 * MB;
	devices_merge(&sample.result, phase, counters, counts);
	assert_share(phase->hosts[0].devices[0].share, 1);
	sample_release(&sample);
}

static void a_device_beneath_another_has_no_share(void **state)
{
	const struct done_device stack[] = {
		{.device = "md0", .targets = t1, .targets_count = 1, .read_after = 100 * MB},
		{.device = "sda",
		 .under = "md0",
		 .targets = t1,
		 .targets_count = 1,
		 .read_after = 50 * MB},
	};
	const struct done_device *counters[] = {stack, NULL};
	const uint32_t counts[] = {2, 0};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", false, (uint64_t[]){100, 0, 0, 0});
	devices_merge(&sample.result, phase, counters, counts);
	assert_share(phase->hosts[0].devices[0].share, 1);
	assert_null(phase->hosts[0].devices[0].under);
	assert_true(isnan(phase->hosts[0].devices[1].share));
	assert_string_equal(phase->hosts[0].devices[1].under, "md0");
	sample_release(&sample);
}

static void a_share_that_cannot_be_known_is_unknown(void **state)
{
	const struct done_device backwards[] = {{.device = "sda",
						 .targets = t1,
						 .targets_count = 1,
						 .read_before = 9 * MB,
						 .read_after = MB}};
	const struct done_device top_and_beneath[] = {
		{.device = "md0", .targets = t1, .targets_count = 1, .read_after = 100 * MB},
		{.device = "sda",
		 .under = "md0",
		 .targets = t1,
		 .targets_count = 1,
		 .read_after = 150 * MB},
		{.device = "sda", .targets = t1, .targets_count = 1, .read_after = 150 * MB},
	};
	const struct done_device fine[] = {
		{.device = "sda", .targets = t1, .targets_count = 1, .read_after = 100 * MB},
	};
	const struct {
		const char *why;
		const struct done_device *counters;
		uint32_t count;
		uint64_t moved;
		const char *other; /* state of the other host of the kernel */
	} cases[] = {
		{"counter ran backwards", backwards, 1, 100, "complete"},
		{"top and beneath", top_and_beneath, 3, 100, "complete"},
		{"no engine bytes", fine, 1, 0, "complete"},
		{"another agent lost", fine, 1, 100, "lost"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct done_device *counters[] = {cases[i].counters, NULL};
		const uint32_t counts[] = {cases[i].count, 0};
		struct sample sample;
		struct result_phase *phase =
			make(&sample, "read", true, (uint64_t[]){cases[i].moved, 0, 0, 0});
		free(phase->hosts[1].state);
		phase->hosts[1].state = mem_text(cases[i].other);
		devices_merge(&sample.result, phase, counters, counts);
		for (uint32_t d = 0; d < phase->hosts[0].devices_count; d++)
			if (!isnan(phase->hosts[0].devices[d].share))
				fail_msg("%s: share %g", cases[i].why,
					 phase->hosts[0].devices[d].share);
		assert_true(phase->hosts[0].devices_count > 0);
		sample_release(&sample);
	}
}

static void nonsense_from_an_agent_is_left_out(void **state)
{
	struct name strange[] = {{"t1"}, {"not there"}, {NULL}, {"t1"}};
	const struct done_device devices[] = {
		{.device = NULL, .targets = t1, .targets_count = 1},
		{.device = "sda", .targets = strange, .targets_count = 4, .read_after = 100 * MB},
	};
	const struct done_device *counters[] = {devices, NULL};
	const uint32_t counts[] = {2, 0};
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", false, (uint64_t[]){100, 0, 0, 0});
	devices_merge(&sample.result, phase, counters, counts);
	assert_int_equal(phase->hosts[0].devices_count, 1);
	assert_int_equal(phase->hosts[0].devices[0].targets_count, 1);
	assert_share(phase->hosts[0].devices[0].share, 1);
	sample_release(&sample);
}

static void a_target_is_found_by_its_hosts_name_with_colons(void **state)
{
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample, "read", true, (uint64_t[]){1, 1, 1, 1});
	free(phase->hosts[1].host);
	phase->hosts[1].host = mem_text("fe80::1");
	assert_ptr_equal(devices_target(phase, 0, "fe80::1:t2"), &phase->hosts[1].targets[1]);
	assert_ptr_equal(devices_target(phase, 0, "t2"), &phase->hosts[0].targets[1]);
	assert_ptr_equal(devices_target(phase, 1, "t2"), &phase->hosts[1].targets[1]);
	assert_null(devices_target(phase, 0, "h9:t2"));
	assert_null(devices_target(phase, 0, "fe80::1"));
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_agents_on_one_disk_report_it_once),
		cmocka_unit_test(the_same_name_on_another_kernel_is_another_disk),
		cmocka_unit_test(a_target_over_two_disks_has_the_share_of_both),
		cmocka_unit_test(targets_that_share_a_disk_are_one_group),
		cmocka_unit_test(each_kind_of_phase_counts_its_own_bytes),
		cmocka_unit_test(the_ramp_counts_for_the_share),
		cmocka_unit_test(a_device_beneath_another_has_no_share),
		cmocka_unit_test(a_share_that_cannot_be_known_is_unknown),
		cmocka_unit_test(nonsense_from_an_agent_is_left_out),
		cmocka_unit_test(a_target_is_found_by_its_hosts_name_with_colons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
