#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/random.h"
#include "controller/realign.h"

#define WIDTH (100 * NS_PER_MS)

struct setting {
	struct result_phase phase;
	struct series series[2];
	struct series_edge *edges;
	uint32_t count;
};

/* Bucket k of target t has moved k + 1 bytes, t times more; no edge is off. */
static void set_up(struct setting *s, uint32_t count)
{
	*s = (struct setting){.phase = {.bucket_ns = WIDTH, .ramp_ns = 3 * WIDTH}, .count = count};
	s->edges = mem_new(count, sizeof(*s->edges));
	for (int t = 0; t < 2; t++) {
		s->series[t].buckets = mem_new(count, sizeof(struct series_bucket));
		s->series[t].count = count;
		for (uint32_t k = 0; k < count; k++)
			s->series[t].buckets[k] =
				(struct series_bucket){.bytes_read = (k + 1) * (uint64_t)(t + 1),
						       .operations = 1,
						       .worst_ns = k};
	}
}

static void tear_down(struct setting *s)
{
	free(s->series[0].buckets);
	free(s->series[1].buckets);
	free(s->edges);
}

static uint64_t sum(const struct series *series, uint32_t from, uint32_t to)
{
	uint64_t bytes = 0;

	for (uint32_t k = from; k < to && k < series->count; k++)
		bytes += series->buckets[k].bytes_read;
	return bytes;
}

static uint32_t realign(struct setting *s)
{
	return realign_host(&s->phase, s->series, 2, &s->edges, &s->count);
}

static void what_lies_within_half_a_bucket_stays(void **state)
{
	(void)state;
	struct setting s;
	set_up(&s, 10);
	for (uint32_t k = 0; k < 10; k++)
		s.edges[k].error_ns = k % 2 ? 49 * (int64_t)NS_PER_MS : -49 * (int64_t)NS_PER_MS;
	assert_int_equal(realign(&s), 0);
	assert_int_equal(s.count, 10);
	assert_int_equal(s.series[1].buckets[9].bytes_read, 20);
	tear_down(&s);
}

/* From bucket 6 on the clock is 2 s ahead: 20 buckets were skipped. */
static void buckets_after_a_jump_go_back_to_their_instants(void **state)
{
	(void)state;
	struct setting s;
	set_up(&s, 36);
	for (uint32_t k = 6; k < 26; k++)
		s.series[0].buckets[k].bytes_read = s.series[1].buckets[k].bytes_read = 0;
	for (uint32_t k = 6; k < 36; k++)
		s.edges[k].error_ns = -2000 * (int64_t)NS_PER_MS + 1000;
	assert_int_equal(realign(&s), 30);
	assert_int_equal(s.count, 16);
	for (uint32_t k = 6; k < 16; k++)
		assert_int_equal(s.series[0].buckets[k].bytes_read, k + 20 + 1);
	assert_int_equal(s.edges[12].error_ns, 1000);
	tear_down(&s);
}

static void what_is_unknown_is_not_moved(void **state)
{
	(void)state;
	struct setting s;
	set_up(&s, 10);
	for (uint32_t k = 5; k < 10; k++)
		s.edges[k] = (struct series_edge){.error_ns = -5 * (int64_t)WIDTH,
						  .bound_ns = UINT64_MAX};
	assert_int_equal(realign(&s), 0);
	tear_down(&s);
}

static void any_error_leaves_every_sum_and_the_ramp_as_they_were(void **state)
{
	(void)state;
	struct random r = {7};
	for (int round = 0; round < 500; round++) {
		struct setting s;
		set_up(&s, 1 + (uint32_t)random_below(&r, 60));
		uint64_t ramp = sum(&s.series[1], 0, 3), rest = sum(&s.series[1], 3, UINT32_MAX);
		for (uint32_t k = 0; k < s.count; k++)
			s.edges[k].error_ns =
				(int64_t)random_below(&r, 40 * WIDTH) - 20 * (int64_t)WIDTH;
		realign(&s);
		assert_int_equal(sum(&s.series[1], 0, 3), ramp);
		assert_int_equal(sum(&s.series[1], 3, UINT32_MAX), rest);
		assert_int_equal(s.series[0].count, s.count);
		tear_down(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_within_half_a_bucket_stays),
		cmocka_unit_test(buckets_after_a_jump_go_back_to_their_instants),
		cmocka_unit_test(what_is_unknown_is_not_moved),
		cmocka_unit_test(any_error_leaves_every_sum_and_the_ramp_as_they_were),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
