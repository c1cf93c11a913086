/* Where workers may run: as asked, or refused with what there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/buffers.h"
#include "agent/placement.h"
#include "agent/platform/platform.h"

static struct target target_row = {.name = "t"};
static struct part null = {.kind = PART_NULL, .fd = -1};
static struct part *parts[1] = {&null};
static const struct load_target target = {.target = &target_row, .parts = parts, .parts_count = 1};
static struct cpu_list here;

static int find_here(void **state)
{
	struct error err;

	(void)state;
	if (platform_cpus(&here, &err))
		fail_msg("%s", err.text);
	return 0;
}

static int forget_here(void **state)
{
	(void)state;
	cpu_list_release(&here);
	return 0;
}

static void find(struct placement *placement, char *cpus, enum phase_numa numa)
{
	struct phase phase = {.cpus = cpus, .numa = numa};
	struct error err;

	if (placement_find(placement, &phase, &target, &err))
		fail_msg("%s", err.text);
}

static void workers_are_free_unless_asked_for(void **state)
{
	(void)state;
	struct placement placement;
	find(&placement, NULL, PHASE_NUMA_NONE);
	assert_null(placement_of(&placement, 0));
	assert_null(placement_of(&placement, 77));
	placement_release(&placement);
}

static void workers_have_a_processor_each_by_turns(void **state)
{
	(void)state;
	struct placement placement;
	char text[256];
	cpu_list_format(text, sizeof(text), &here);
	find(&placement, text, PHASE_NUMA_NONE);
	for (uint32_t i = 0; i < 3 * here.count; i++) {
		const struct cpu_list *cpus = placement_of(&placement, i);
		assert_int_equal(cpus->count, 1);
		assert_int_equal(cpus->cpus[0], here.cpus[i % here.count]);
	}
	placement_release(&placement);
}

static void nodes_give_all_of_their_processors(void **state)
{
	(void)state;
	struct placement placement;
	uint32_t seen = 0;
	find(&placement, NULL, PHASE_NUMA_NODE);
	assert_true(placement.count >= 1);
	for (uint32_t i = 0; i < placement.count; i++)
		seen += placement.sets[i].count;
	assert_int_equal(seen, here.count);
	placement_release(&placement);
}

static void refused(char *cpus, enum phase_numa numa, const char *part)
{
	struct placement placement;
	struct phase phase = {.cpus = cpus, .numa = numa};
	struct error err;

	assert_int_equal(placement_find(&placement, &phase, &target, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	if (!strstr(err.text, part) || !strstr(err.text, "target 't'"))
		fail_msg("'%s' is not in: %s", part, err.text);
	placement_release(&placement);
}

static void a_processor_that_is_not_there_is_refused_with_those_that_are(void **state)
{
	(void)state;
	char legal[256], all[300];
	cpu_list_format(legal, sizeof(legal), &here);
	snprintf(all, sizeof(all), "it has %s", legal);
	refused("65535", PHASE_NUMA_NONE, all);
	refused("0-", PHASE_NUMA_NONE, "as 0-3,8");
	refused(NULL, PHASE_NUMA_DEVICE, "'numa: node'");
}

static void *bind_to_last(void *context)
{
	struct cpu_list one = {.cpus = &here.cpus[here.count - 1], .count = 1}, now;
	struct error err;

	(void)context;
	if (platform_thread_bind(&one) || platform_cpus(&now, &err))
		return "refused";
	bool is_there = now.count == 1 && now.cpus[0] == one.cpus[0];
	cpu_list_release(&now);
	return is_there ? NULL : "is elsewhere";
}

static void a_thread_that_is_bound_runs_there_alone(void **state)
{
	(void)state;
	pthread_t thread;
	void *wrong;
	assert_int_equal(pthread_create(&thread, NULL, bind_to_last, NULL), 0);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	if (wrong)
		fail_msg("%s", (char *)wrong);
}

/* ---- the pages beneath ---- */

/* More than any pool has. */
#define FAR_TOO_MUCH ((size_t)1 << 44)

static void pages_that_are_not_there_are_refused_or_gone_without(void **state)
{
	(void)state;
	struct buffers buffers = {0};
	struct error err;
	assert_int_equal(buffers_init(&buffers, PHASE_HUGEPAGES_TRUE, 4096, FAR_TOO_MUCH, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "'hugepages: prefer'"));
	assert_null(buffers.memory);
	buffers_release(&buffers);
}

static void whatever_is_preferred_there_is_memory(void **state)
{
	(void)state;
	static const enum phase_hugepages kinds[] = {PHASE_HUGEPAGES_AUTO, PHASE_HUGEPAGES_PREFER,
						     PHASE_HUGEPAGES_FALSE};
	for (size_t i = 0; i < 3; i++) {
		struct buffers buffers = {0};
		struct error err;
		assert_int_equal(buffers_init(&buffers, kinds[i], 4096, 3 << 20, &err), 0);
		assert_int_equal((uintptr_t)buffers.memory % 4096, 0);
		buffers_touch(&buffers);
		assert_true(buffers.is_huge || kinds[i] != PHASE_HUGEPAGES_PREFER ||
			    buffers.note[0]);
		assert_true(kinds[i] == PHASE_HUGEPAGES_PREFER ||
			    (!buffers.is_huge && !buffers.note[0]));
		buffers_release(&buffers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_are_free_unless_asked_for),
		cmocka_unit_test(workers_have_a_processor_each_by_turns),
		cmocka_unit_test(nodes_give_all_of_their_processors),
		cmocka_unit_test(a_processor_that_is_not_there_is_refused_with_those_that_are),
		cmocka_unit_test(a_thread_that_is_bound_runs_there_alone),
		cmocka_unit_test(pages_that_are_not_there_are_refused_or_gone_without),
		cmocka_unit_test(whatever_is_preferred_there_is_memory),
	};

	return cmocka_run_group_tests(tests, find_here, forget_here);
}
