/* What is remembered as written, held against a map of single bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "agent/written.h"
#include "common/random.h"

#define BYTES 64

static void check_against(const struct written *written, const char *path, const bool map[BYTES])
{
	uint64_t from, to = 0, missing = 0;
	bool gaps[BYTES] = {false};

	while (written_gap(written, path, to, BYTES, &from, &to)) {
		assert_true(from < to && to <= BYTES);
		for (uint64_t k = from; k < to; k++)
			gaps[k] = true;
	}
	for (int k = 0; k < BYTES; k++) {
		assert_int_equal(gaps[k], !map[k]);
		missing += !map[k];
	}
	assert_int_equal(written_missing(written, path, BYTES), missing);
}

static void intervals_merge_whatever_their_order(void **state)
{
	(void)state;
	struct random random = {.state = 1};
	for (int round = 0; round < 300; round++) {
		struct written *written = written_new();
		bool map[BYTES] = {false};
		check_against(written, "/a", map);
		for (int k = 0; k < 20; k++) {
			uint64_t from = random_below(&random, BYTES);
			uint64_t to = from + random_below(&random, 12);
			to = to > BYTES ? BYTES : to;
			written_add(written, "/a", from, to);
			for (uint64_t i = from; i < to; i++)
				map[i] = true;
			check_against(written, "/a", map);
		}
		written_free(written);
	}
}

static void files_are_apart_and_can_be_forgotten(void **state)
{
	(void)state;
	struct written *written = written_new();
	written_add(written, "/a", 0, 10);
	written_add(written, "/b", 0, 20);
	assert_int_equal(written_missing(written, "/a", 20), 10);
	assert_int_equal(written_missing(written, "/b", 20), 0);
	written_forget(written, "/b");
	assert_int_equal(written_missing(written, "/b", 20), 20);
	assert_int_equal(written_missing(written, "/a", 20), 10);
	assert_int_equal(written_missing(written, "/never", 20), 20);
	written_free(written);
	written_free(NULL);
}

static void generation_only_grows_and_outlives_the_file(void **state)
{
	(void)state;
	struct written *written = written_new();
	assert_int_equal(written_generation(written, "/a"), 0);
	written_set_generation(written, "/a", 3);
	written_set_generation(written, "/a", 2);
	written_forget(written, "/a");
	assert_int_equal(written_generation(written, "/a"), 3);
	assert_int_equal(written_generation(written, "/b"), 0);
	written_free(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_merge_whatever_their_order),
		cmocka_unit_test(files_are_apart_and_can_be_forgotten),
		cmocka_unit_test(generation_only_grows_and_outlives_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
