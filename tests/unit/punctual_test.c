/* Waking at an instant: never before it, and what the system refuses is only told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "agent/punctual.h"
#include "common/record.h"

static struct clock_map map;
static struct punctual punctual;
static atomic_bool stop;

static int set_up(void **state)
{
	(void)state;
	punctual = (struct punctual){0};
	atomic_store(&stop, false);
	clock_map_init(&map, 100 * NS_PER_MS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	punctual_release(&punctual);
	clock_map_release(&map);
	return 0;
}

static uint64_t begin_in(uint64_t in_ns)
{
	struct start start = {.at_ns = clock_now_ns() + in_ns};

	assert_true(clock_map_begin(&map, &start));
	return start.at_ns;
}

static int policy(void)
{
	struct sched_param param;
	int now = -1;

	pthread_getschedparam(pthread_self(), &now, &param);
	return now;
}

static void nobody_starts_early_and_all_become_ordinary_again(void **state)
{
	(void)state;
	static const uint64_t leads[] = {0, 1, 100 * NS_PER_US, 10 * NS_PER_MS, 150 * NS_PER_MS};
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		struct platform_schedule before;
		punctual.spin_ns = i % 2 ? PUNCTUAL_SPIN_NS : 0;
		clock_map_release(&map);
		clock_map_init(&map, 100 * NS_PER_MS);
		uint64_t at = begin_in(leads[i]);
		assert_true(punctual_wait(&punctual, &map, &stop, &before));
		assert_true(clock_now_ns() >= at);
		assert_int_equal(before.changed, !atomic_load(&punctual.refused[PUNCTUAL_FIRST]));
		platform_thread_restore(&before);
		assert_int_equal(policy(), SCHED_OTHER);
	}
}

static void a_start_long_past_is_now(void **state)
{
	(void)state;
	struct platform_schedule before;
	assert_true(clock_map_begin(&map, &(struct start){.at_ns = 1}));
	punctual.spin_ns = PUNCTUAL_SPIN_NS;
	assert_true(punctual_wait(&punctual, &map, &stop, &before));
	platform_thread_restore(&before);
}

static void *wait_on(void *context)
{
	struct platform_schedule before;

	*(bool *)context = punctual_wait(&punctual, &map, &stop, &before);
	return NULL;
}

static void a_stop_ends_the_wait(void **state)
{
	(void)state;
	pthread_t thread;
	bool started = true;
	begin_in(3600 * NS_PER_S);
	assert_int_equal(pthread_create(&thread, NULL, wait_on, &started), 0);
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	assert_false(started);
}

static void who_was_stopped_never_leaves_the_ordinary_threads(void **state)
{
	(void)state;
	struct platform_schedule before;
	begin_in(10 * NS_PER_MS); /* near: it is looked at again after the sleep */
	atomic_store(&stop, true);
	assert_false(punctual_wait(&punctual, &map, &stop, &before));
	assert_int_equal(policy(), SCHED_OTHER);
}

/* A spin is for those who have a processor each. */
static void only_as_many_as_processors_spin(void **state)
{
	(void)state;
	struct platform_facts facts;
	struct done done = {0};
	platform_facts(&facts);
	punctual_init(&punctual, facts.cpus);
	punctual_report(&punctual, &done);
	assert_int_equal(done.start_spin_ns, PUNCTUAL_SPIN_NS);
	punctual_release(&punctual);
	record_release(&done_table, &done);
	punctual_init(&punctual, facts.cpus + 1);
	punctual_report(&punctual, &done);
	assert_int_equal(done.start_spin_ns, 0);
	record_release(&done_table, &done);
}

static void each_refusal_is_told_once(void **state)
{
	(void)state;
	struct done done = {0};
	atomic_store(&punctual.refused[PUNCTUAL_FIRST], EPERM);
	atomic_store(&punctual.refused[PUNCTUAL_MEMORY], ENOMEM);
	punctual_report(&punctual, &done);
	assert_int_equal(done.start_refusals_count, 2);
	assert_string_equal(done.start_refusals[0].name, "mlockall: Cannot allocate memory");
	assert_string_equal(done.start_refusals[1].name, "SCHED_FIFO: Operation not permitted");
	record_release(&done_table, &done);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_starts_early_and_all_become_ordinary_again),
		TEST(a_start_long_past_is_now),
		TEST(a_stop_ends_the_wait),
		TEST(who_was_stopped_never_leaves_the_ordinary_threads),
		TEST(only_as_many_as_processors_spin),
		TEST(each_refusal_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
