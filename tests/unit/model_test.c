#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/model.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

#define MBPS 1e6

static void rates_of_levels(void **state)
{
	static const struct {
		enum fact_level level;
		uint32_t disks;
		double read, write; /* of disks of 200 MB/s */
	} rows[] = {
		{FACT_LEVEL_RAID0, 8, 1600, 1600}, {FACT_LEVEL_RAID1, 2, 400, 200},
		{FACT_LEVEL_RAID10, 8, 1600, 800}, {FACT_LEVEL_RAID5, 8, 1400, 1400},
		{FACT_LEVEL_RAID6, 8, 1200, 1200}, {FACT_LEVEL_RAIDZ3, 16, 2600, 2600},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_near(model_media(rows[i].level, rows[i].disks, 200 * MBPS, false) / MBPS,
			    rows[i].read, 1e-9);
		assert_near(model_media(rows[i].level, rows[i].disks, 200 * MBPS, true) / MBPS,
			    rows[i].write, 1e-9);
	}
	assert_true(isnan(model_media(FACT_LEVEL_UNKNOWN, 8, 200 * MBPS, true)));
	assert_true(isnan(model_media(FACT_LEVEL_RAIDZ3, 3, 200 * MBPS, true)));
}

/* Eight disks of 180 operations a second; penalties 2, 4 and 6, and a mix of 70 % reads. */
static void operations_of_levels(void **state)
{
	static const struct {
		enum fact_level level;
		double write, mix;
	} rows[] = {{FACT_LEVEL_RAID10, 720, 1107.7},
		    {FACT_LEVEL_RAID5, 360, 757.9},
		    {FACT_LEVEL_RAID6, 240, 576.0}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double read = model_iops(rows[i].level, 8, 180, false);
		double write = model_iops(rows[i].level, 8, 180, true);
		assert_near(read, 1440, 1e-9);
		assert_near(write, rows[i].write, 1e-9);
		assert_near(model_mix(read, write, 0.7), rows[i].mix, 0.05);
	}
	assert_near(model_iops(FACT_LEVEL_RAIDZ2, 8, 180, true), 180, 0);
}

static void lanes_and_links(void **state)
{
	static const struct {
		double gt;
		uint32_t width;
		double mb;
	} rows[] = {
		{3, 4, 1200},   {6, 4, 2400},   {12, 8, 9600}, {22.5, 4, 9600}, {2.5, 8, 2000},
		{5, 4, 2000},   {8, 4, 3938},   {8, 8, 7877},  {16, 4, 7877},   {16, 8, 15754},
		{32, 4, 15754}, {32, 8, 31508}, {6, 1, 600},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fact_link link = {.gt_per_s = rows[i].gt, .width = rows[i].width};
		assert_near(model_link(&link) / MBPS, rows[i].mb, 0.6);
	}
	assert_true(isnan(model_lane(7)));
}

/* What TCP can carry of 10, 25 and 100 Gb/s. */
static void ethernet_carries_less_than_its_rate(void **state)
{
	static const struct {
		double gbit;
		uint32_t mtu;
		double mb;
	} rows[] = {{10, 1500, 1177}, {25, 1500, 2942}, {100, 1500, 11769},
		    {10, 9000, 1238}, {25, 9000, 3094}, {100, 9000, 12376}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fact_link link = {.gt_per_s = rows[i].gbit, .width = 1, .mtu = rows[i].mtu};
		assert_near(model_link(&link) / MBPS, rows[i].mb, 0.6);
		link.width = 2; /* of a bond */
		assert_near(model_link(&link) / MBPS, 2 * rows[i].mb, 1.2);
	}
}

/* man 4 zfs: 192 GiB of memory may have 4 GiB dirty, and sync at 0.8 GiB. */
static void rhythm_and_delay_of_transaction_groups(void **state)
{
	const double gib = 1 << 30;

	(void)state;
	assert_near(model_txg_period_s(192 * gib, 100 * (double)(1 << 20)), 5, 1e-9);
	assert_near(model_txg_period_s(192 * gib, gib), 0.8, 1e-9);
	assert_near(model_txg_delay_ns(0.8), 500e3, 1e-3); /* half-way between 60 % and 100 % */
	assert_near(model_txg_delay_ns(0.5), 0, 0);
	assert_near(model_txg_delay_ns(1), 100e6, 0);
}

static void what_a_cache_serves_of_random_reads(void **state)
{
	(void)state;
	assert_near(model_hit_share(1, 2), 0.50, 1e-12);
	assert_near(model_hit_share(1, 3), 0.33, 0.004);
	assert_near(model_hit_share(1, 5), 0.20, 1e-12);
	assert_near(model_hit_share(2, 1), 1, 0);
}

static void the_bound_is_the_least_of_what_is_known(void **state)
{
	struct name names[] = {{"t"}};
	struct fact_storage storage = {
		.target = "t", .level = FACT_LEVEL_RAID6, .disks = 8, .disk_rate = 200000000};
	struct fact_link link = {
		.link = "hba", .gt_per_s = 5, .width = 2, .targets = names, .targets_count = 1};
	struct known known = {.fleet = {.storage = &storage, .storage_count = 1}};
	struct phase asked = {.op = PHASE_OP_READ};

	(void)state;
	assert_near(model_bound(&known, NULL, &asked, "t").bytes_per_s / MBPS, 1200, 1e-9);
	known.fleet.links = &link;
	known.fleet.links_count = 1;
	assert_near(model_bound(&known, NULL, &asked, "t").bytes_per_s / MBPS, 1000, 1e-9);
	storage.controller_rate = 900000000;
	assert_near(model_bound(&known, NULL, &asked, "t").bytes_per_s / MBPS, 900, 1e-9);
	asked.access = PHASE_ACCESS_RANDOM;
	storage.controller_rate = 0;
	known.fleet.links_count = 0;
	assert_true(isnan(model_bound(&known, NULL, &asked, "t").bytes_per_s));
	assert_true(isnan(model_bound(&(struct known){0}, NULL, &asked, "t").bytes_per_s));
}

static void what_is_made_of_parts_is_as_fast_as_all_of_them(void **state)
{
	struct name names[] = {{"a"}, {"b"}};
	struct fact_storage storage[] = {
		{.target = "a", .level = FACT_LEVEL_SINGLE, .disks = 1, .disk_rate = 200000000},
		{.target = "b", .level = FACT_LEVEL_SINGLE, .disks = 1, .disk_rate = 150000000}};
	struct target targets[] = {{.name = "s", .members = names, .members_count = 2},
				   {.name = "t", .stripe = names, .stripe_count = 2},
				   {.name = "round", .members = names, .members_count = 2}};
	struct plan plan = {.targets = targets, .targets_count = 2};
	struct known known = {.fleet = {.storage = storage, .storage_count = 2}};
	struct phase asked = {.op = PHASE_OP_READ};

	(void)state;
	assert_near(model_bound(&known, &plan, &asked, "s").bytes_per_s / MBPS, 350, 1e-9);
	assert_near(model_bound(&known, &plan, &asked, "t").bytes_per_s / MBPS, 350, 1e-9);
	known.fleet.storage_count = 1; /* of one part nothing is known */
	assert_true(isnan(model_bound(&known, &plan, &asked, "s").bytes_per_s));
	targets[2].members_count = 1;
	names[0].name = "round"; /* over itself: no plan is, a file may be */
	plan.targets_count = 3;
	assert_true(isnan(model_bound(&known, &plan, &asked, "round").bytes_per_s));
}

static void random_operations_are_the_disks_own(void **state)
{
	struct fact_storage storage = {
		.target = "t", .level = FACT_LEVEL_RAID5, .disks = 8, .disk_iops = 180};
	struct known known = {.fleet = {.storage = &storage, .storage_count = 1}};
	struct phase asked = {.op = PHASE_OP_WRITE, .access = PHASE_ACCESS_RANDOM};

	(void)state;
	assert_near(model_random(&known, &asked, "t"), 360, 1e-9);
	asked.op = PHASE_OP_MIXED;
	asked.read_percent = 70;
	assert_near(model_random(&known, &asked, "t"), 757.9, 0.05);
	asked.op = PHASE_OP_READ;
	assert_near(model_random(&known, &asked, "t"), 1440, 1e-9);
	asked.access = PHASE_ACCESS_SEQUENTIAL;
	assert_true(isnan(model_random(&known, &asked, "t")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_levels),
		cmocka_unit_test(operations_of_levels),
		cmocka_unit_test(lanes_and_links),
		cmocka_unit_test(ethernet_carries_less_than_its_rate),
		cmocka_unit_test(rhythm_and_delay_of_transaction_groups),
		cmocka_unit_test(what_a_cache_serves_of_random_reads),
		cmocka_unit_test(the_bound_is_the_least_of_what_is_known),
		cmocka_unit_test(what_is_made_of_parts_is_as_fast_as_all_of_them),
		cmocka_unit_test(random_operations_are_the_disks_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
