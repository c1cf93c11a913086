#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/latency_rules.h"

/* Worked: 32 in flight at 200 us each are 160,000 a second. */
static void rate_times_latency_is_in_flight(void **state)
{
	(void)state;
	assert_true(fabs(little_in_flight(160000, 200e3) - 32) < 1e-9);
	assert_true(fabs(little_in_flight(160000, 190e3) / 32 - LITTLE_LEAST) < 1e-9);
	assert_true(isnan(little_in_flight(160000, NAN)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_times_latency_is_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
