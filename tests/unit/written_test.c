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

static void add(struct written *written, const char *path, uint64_t from, uint64_t to)
{
	struct written_range range = {.from = from, .to = to, .owner = 1};

	written_set(written, path, &range);
}

static void what_is_alike_merges_whatever_the_order(void **state)
{
	(void)state;
	struct random random = {.state = 1};
	for (int round = 0; round < 300; round++) {
		struct written *written = written_new();
		bool map[BYTES] = {false};
		uint32_t count, stretches = 0;
		check_against(written, "/a", map);
		for (int k = 0; k < 20; k++) {
			uint64_t from = random_below(&random, BYTES);
			uint64_t to = from + random_below(&random, 12);
			to = to > BYTES ? BYTES : to;
			add(written, "/a", from, to);
			for (uint64_t i = from; i < to; i++)
				map[i] = true;
			check_against(written, "/a", map);
		}
		for (int k = 0; k < BYTES; k++)
			stretches += map[k] && (k == 0 || !map[k - 1]);
		written_ranges(written, "/a", &count);
		assert_int_equal(count, stretches);
		written_free(written);
	}
}

/* What is said of each byte, kept apart for each. */
struct byte {
	bool is_written;
	struct written_range said;
};

static void check_bytes(const struct written *written, const struct byte bytes[BYTES])
{
	uint32_t count, at = 0;
	const struct written_range *ranges = written_ranges(written, "/a", &count);

	for (uint64_t k = 0; k < BYTES; k++) {
		while (at < count && ranges[at].to <= k)
			at++;
		bool is_in = at < count && ranges[at].from <= k;
		assert_int_equal(is_in, bytes[k].is_written);
		if (!is_in)
			continue;
		assert_int_equal(ranges[at].owner, bytes[k].said.owner);
		assert_int_equal(ranges[at].oldest, bytes[k].said.oldest);
		assert_int_equal(ranges[at].newest, bytes[k].said.newest);
		assert_int_equal(ranges[at].unit, bytes[k].said.unit);
	}
}

static void every_byte_is_what_was_last_said_of_it(void **state)
{
	(void)state;
	struct random random = {.state = 2};
	for (int round = 0; round < 300; round++) {
		struct written *written = written_new();
		struct byte bytes[BYTES] = {0};
		for (uint64_t k = 0; k < 30; k++) {
			bool is_set = random_below(&random, 2);
			struct written_range range = {
				.from = random_below(&random, BYTES),
				.owner = 1 + random_below(&random, 8) / 7,
				.oldest = k,
				.newest = k + random_below(&random, 2),
				.unit = 4U << random_below(&random, 3),
			};
			range.to = range.from + random_below(&random, 20);
			range.to = range.to > BYTES ? BYTES : range.to;
			if (is_set)
				written_set(written, "/a", &range);
			else
				written_touch(written, "/a", &range);
			for (uint64_t i = range.from; i < range.to; i++) {
				struct written_range *said = &bytes[i].said;
				if (is_set) {
					bytes[i] = (struct byte){true, range};
					continue;
				}
				said->newest =
					range.newest > said->newest ? range.newest : said->newest;
				said->unit = said->unit < range.unit ? said->unit : range.unit;
				said->owner = said->owner == range.owner ? said->owner : 0;
			}
			check_bytes(written, bytes);
		}
		written_free(written);
	}
}

static void a_unit_divides_all(void **state)
{
	(void)state;
	static const uint64_t cases[][3] = {{0, 0, 0},
					    {0, 4096, 4096},
					    {4096, 0, 4096},
					    {6144, 4096, 2048},
					    {512, 1 << 20, 512}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(written_unit(cases[i][0], cases[i][1]), cases[i][2]);
}

static void files_are_apart_and_can_be_forgotten(void **state)
{
	(void)state;
	struct written *written = written_new();
	add(written, "/a", 0, 10);
	add(written, "/b", 0, 20);
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

/* Trims and writes by turns, each byte either written, trimmed or never touched. */
static void what_is_trimmed_is_not_written_until_it_is_again(void **state)
{
	(void)state;
	struct random random = {.state = 5};
	for (int round = 0; round < 300; round++) {
		struct written *written = written_new();
		bool map[BYTES] = {false}, trimmed[BYTES] = {false};
		for (int k = 0; k < 20; k++) {
			uint64_t from = random_below(&random, BYTES), at = UINT64_MAX;
			uint64_t to = from + random_below(&random, 12);
			bool is_trim = random_below(&random, 2);
			to = to > BYTES ? BYTES : to;
			if (is_trim)
				written_trim(written, "/a", from, to);
			else
				add(written, "/a", from, to);
			for (uint64_t i = from; i < to; i++) {
				map[i] = !is_trim;
				trimmed[i] = is_trim;
			}
			check_against(written, "/a", map);
			uint64_t first = 0;
			while (first < BYTES && !trimmed[first])
				first++;
			for (uint64_t end = 0; end <= BYTES; end += 7) {
				bool is = written_is_trimmed(written, "/a", end, &at);
				assert_int_equal(is, first < end);
				if (is)
					assert_int_equal(at, first);
			}
		}
		written_free(written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_alike_merges_whatever_the_order),
		cmocka_unit_test(every_byte_is_what_was_last_said_of_it),
		cmocka_unit_test(a_unit_divides_all),
		cmocka_unit_test(files_are_apart_and_can_be_forgotten),
		cmocka_unit_test(generation_only_grows_and_outlives_the_file),
		cmocka_unit_test(what_is_trimmed_is_not_written_until_it_is_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
