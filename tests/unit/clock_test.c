/* The time base: it goes on, and who sleeps on it is never woken early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/clock.h"

static void it_never_goes_back(void **state)
{
	(void)state;
	uint64_t last = clock_now_ns();
	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_now_ns();
		assert_true(now >= last);
		last = now;
	}
}

static void nobody_is_woken_early(void **state)
{
	(void)state;
	static const uint64_t lengths[] = {0, 1, 100, 50000, 1000000, 1000001, 20000000};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint64_t at = clock_now_ns() + lengths[i];
		clock_sleep_until(at);
		assert_true(clock_now_ns() >= at);
		clock_sleep(lengths[i]);
		assert_true(clock_now_ns() >= at + lengths[i]);
	}
}

static void what_has_passed_is_not_slept_for(void **state)
{
	(void)state;
	clock_sleep_until(0);
	clock_sleep_until(clock_now_ns());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_never_goes_back),
		cmocka_unit_test(nobody_is_woken_early),
		cmocka_unit_test(what_has_passed_is_not_slept_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
