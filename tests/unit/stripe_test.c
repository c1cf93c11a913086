/* RAID0 in user space, held against the definition byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "agent/stripe.h"
#include "common/memory.h"

#define MOST_PARTS 5

static uint32_t part_of_byte(const struct stripe *s, uint64_t byte, uint64_t *offset)
{
	uint64_t unit = byte / s->unit;

	*offset = unit / s->parts * s->unit + byte % s->unit;
	return (uint32_t)(unit % s->parts);
}

struct mapped {
	struct io ios[MOST_PARTS];
	struct iovec *vectors;
};

static void map(struct mapped *mapped, const struct stripe *s, uint64_t offset, char *buffer,
		size_t length)
{
	uint64_t each = stripe_vectors(s, length);

	mapped->vectors = mem_new(each * s->parts, sizeof(struct iovec));
	for (uint32_t i = 0; i < s->parts; i++)
		mapped->ios[i].vector = mapped->vectors + i * each;
	stripe_map(s, offset, buffer, length, mapped->ios);
	for (uint32_t i = 0; i < s->parts; i++)
		assert_true((uint64_t)mapped->ios[i].vector_count <= each);
}

/* Each byte of each vector is where the definition has it, and none is left out. */
static void check_bytes(const struct mapped *mapped, const struct stripe *s, uint64_t offset,
			const char *buffer, size_t length)
{
	size_t seen = 0;

	for (uint32_t part = 0; part < s->parts; part++) {
		const struct io *io = &mapped->ios[part];
		uint64_t at = io->offset, want_at;
		size_t sum = 0;
		for (int v = 0; v < io->vector_count; v++) {
			const char *base = io->vector[v].iov_base;
			for (size_t k = 0; k < io->vector[v].iov_len; k++, at++, sum++) {
				uint64_t byte = offset + (uint64_t)(base + k - buffer);
				assert_int_equal(part_of_byte(s, byte, &want_at), part);
				assert_int_equal(want_at, at);
			}
		}
		assert_int_equal(sum, io->length);
		seen += sum;
	}
	assert_int_equal(seen, length);
}

static void each_byte_is_where_raid0_has_it(void **state)
{
	(void)state;
	static char buffer[200];
	for (uint32_t parts = 1; parts <= MOST_PARTS; parts++) {
		for (uint64_t offset = 0; offset < 60; offset += 3) {
			for (size_t length = 1; length < sizeof(buffer); length += 7) {
				struct stripe s = {.unit = 8, .parts = parts};
				struct mapped mapped;
				map(&mapped, &s, offset, buffer, length);
				check_bytes(&mapped, &s, offset, buffer, length);
				free(mapped.vectors);
			}
		}
	}
}

static void a_mebibyte_over_two_parts_is_two_requests_of_four_vectors(void **state)
{
	(void)state;
	struct stripe s = {.unit = 128 << 10, .parts = 2};
	static char buffer[1 << 20];
	struct mapped mapped;
	map(&mapped, &s, UINT64_C(7) << 20, buffer, sizeof(buffer));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(mapped.ios[i].length, 512 << 10);
		assert_int_equal(mapped.ios[i].offset, UINT64_C(7) << 19);
		assert_int_equal(mapped.ios[i].vector_count, 4);
	}
	free(mapped.vectors);
}

static void a_block_within_a_unit_touches_one_part(void **state)
{
	(void)state;
	struct stripe s = {.unit = 128 << 10, .parts = 3};
	static char buffer[4096];
	struct mapped mapped;
	map(&mapped, &s, (128 << 10) * 4 + 4096, buffer, sizeof(buffer));
	assert_int_equal(mapped.ios[0].length, 0);
	assert_int_equal(mapped.ios[1].length, 4096);
	assert_int_equal(mapped.ios[1].offset, (128 << 10) + 4096);
	assert_int_equal(mapped.ios[2].length, 0);
	free(mapped.vectors);
}

static void part_ends_count_the_bytes_on_each_part(void **state)
{
	(void)state;
	for (uint32_t parts = 1; parts <= MOST_PARTS; parts++) {
		struct stripe s = {.unit = 8, .parts = parts};
		uint64_t counted[MOST_PARTS] = {0}, offset;
		for (uint64_t end = 0; end < 300; end++) {
			for (uint32_t i = 0; i < parts; i++)
				assert_int_equal(stripe_part_end(&s, i, end), counted[i]);
			counted[part_of_byte(&s, end, &offset)]++;
		}
	}
}

static void extent_is_whole_units_of_the_smallest_part(void **state)
{
	(void)state;
	static const struct {
		uint64_t unit;
		uint32_t parts;
		uint64_t smallest, want;
	} rows[] = {
		{8, 2, 100, 192},
		{8, 3, 8, 24},
		{8, 3, 7, 0},
		{8, 1, 7, 7}, /* one part is no stripe */
		{512, 2, UINT64_MAX, UINT64_MAX / 1024 * 1024},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stripe s = {.unit = rows[i].unit, .parts = rows[i].parts};
		assert_int_equal(stripe_extent(&s, rows[i].smallest), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_where_raid0_has_it),
		cmocka_unit_test(a_mebibyte_over_two_parts_is_two_requests_of_four_vectors),
		cmocka_unit_test(a_block_within_a_unit_touches_one_part),
		cmocka_unit_test(part_ends_count_the_bytes_on_each_part),
		cmocka_unit_test(extent_is_whole_units_of_the_smallest_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
