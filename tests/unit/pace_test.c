/* When I/Os are due: the rate exactly, in turns, and nothing let off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/pace.h"
#include "common/clock.h"
#include "common/memory.h"

static const struct {
	uint64_t bytes, operations, block;
	uint32_t workers;
} rates[] = {
	{0, 1, 4096, 1},
	{0, 1000, 4096, 1},
	{0, 3000000, 4096, 7},
	{0, 999999937, 512, 1024},
	{1 << 20, 0, 4096, 3},
	{UINT64_C(100) << 20, 0, 1 << 20, 4},
	{UINT64_C(200) << 30, 0, 65536, 16},
	{UINT64_C(18) << 20, 0, 1 << 30, 1},
};
#define RATES (sizeof(rates) / sizeof(rates[0]))

static struct phase make_phase(size_t i)
{
	return (struct phase){.rate_bytes = rates[i].bytes,
			      .rate_operations = rates[i].operations,
			      .block_size = rates[i].block,
			      .workers = rates[i].workers};
}

/* Within a ns an I/O and a millionth. */
static void a_worker_has_its_share_of_the_rate(void **state)
{
	(void)state;
	enum { IOS = 10000 };
	for (size_t i = 0; i < RATES; i++) {
		struct phase phase = make_phase(i);
		uint64_t first, last = 0;
		struct pace pace;
		pace_init(&pace, &phase, rates[i].workers - 1);
		pace_begin(&pace, 5 * NS_PER_S);
		first = pace_take(&pace, phase.block_size);
		assert_int_equal(first, 5 * NS_PER_S);
		for (int k = 0; k < IOS; k++)
			last = pace_take(&pace, phase.block_size);
		double unit = rates[i].bytes ? (double)rates[i].block / (double)rates[i].bytes
					     : 1 / (double)rates[i].operations;
		double want = unit * rates[i].workers * IOS * 1e9, got = (double)(last - first);
		if (got < want - IOS - want / 1e6 || got > want + IOS + want / 1e6)
			fail_msg("rate %zu: %.0f ns for %d I/Os, wanted %.0f", i, got, IOS, want);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void workers_take_turns_after_the_first(void **state)
{
	(void)state;
	enum { WORKERS = 5, EACH = 20 };
	struct phase phase = {.rate_operations = 1000, .block_size = 4096, .workers = WORKERS};
	uint64_t due[WORKERS * EACH];
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct pace pace;
		pace_init(&pace, &phase, w);
		pace_begin(&pace, 0);
		assert_int_equal(pace_take(&pace, 4096), 0);
		for (uint32_t k = 0; k < EACH; k++)
			due[w * EACH + k] = pace_take(&pace, 4096);
	}
	qsort(due, WORKERS * EACH, sizeof(due[0]), compare);
	for (uint32_t i = 0; i < WORKERS * EACH; i++)
		assert_in_range(due[i], (i + 1) * NS_PER_MS - EACH, (i + 1) * NS_PER_MS + EACH);
}

static void bytes_are_paid_for_by_their_number(void **state)
{
	(void)state;
	struct phase phase = {.rate_bytes = 1000000, .block_size = 65536, .workers = 1};
	static const uint64_t lengths[] = {1000, 50000, 7, 65536};
	uint64_t want = 0;
	struct pace pace;
	pace_init(&pace, &phase, 0);
	pace_begin(&pace, 0);
	for (size_t i = 0; i < 4; i++) {
		assert_in_range(pace_take(&pace, lengths[i]), want < 4 ? 0 : want - 4, want);
		want += lengths[i] * 1000;
	}
}

static void without_a_rate_it_is_off(void **state)
{
	(void)state;
	struct phase phase = {.block_size = 4096, .workers = 1};
	struct pace pace;
	pace_init(&pace, &phase, 0);
	assert_false(pace.is_on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_has_its_share_of_the_rate),
		cmocka_unit_test(workers_take_turns_after_the_first),
		cmocka_unit_test(bytes_are_paid_for_by_their_number),
		cmocka_unit_test(without_a_rate_it_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
