#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/pack.h"
#include "common/record_msgpack.h"
#include "tests/unit/record_sample.h"

static struct bytes packed_sample(void)
{
	struct sample sample = sample_full();
	struct bytes bytes = {0};

	record_pack(&sample_table, &sample, &bytes);
	record_release(&sample_table, &sample);
	return bytes;
}

/* Unpacks a copy that ends where it ends, so that a read beyond is seen by a sanitizer. */
static int unpack(const struct record_table *table, void *record, const void *data, size_t size,
		  struct error *err)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, data, size);
	int result = record_unpack(table, record, copy, size, err);
	free(copy);
	return result;
}

static void assert_all_zero(const void *record, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(((const unsigned char *)record)[i], 0);
}

static void what_is_packed_is_unpacked(void **state)
{
	struct sample sample = sample_full(), back = {0};
	struct bytes bytes = packed_sample();
	struct error err;

	(void)state;
	assert_int_equal(unpack(&sample_table, &back, bytes.data, bytes.size, &err), 0);
	sample_assert_equal(&sample, &back);
	free(bytes.data);
	record_release(&sample_table, &sample);
	record_release(&sample_table, &back);
}

static void absent_members_stay_absent(void **state)
{
	struct sample sample = {.name = (char *)"x", .inner = {.count = 1}, .ratio = NAN};
	struct sample back = {0};
	struct bytes bytes = {0};
	struct error err;

	(void)state;
	record_pack(&sample_table, &sample, &bytes);
	assert_int_equal(unpack(&sample_table, &back, bytes.data, bytes.size, &err), 0);
	assert_null(back.maybe);
	assert_null(back.names);
	assert_true(isnan(back.ratio));
	free(bytes.data);
	record_release(&sample_table, &back);
}

static void every_truncation_is_rejected(void **state)
{
	struct bytes bytes = packed_sample();

	(void)state;
	for (size_t size = 0; size < bytes.size; size++) {
		struct sample back = {0};
		struct error err = {0};
		if (unpack(&sample_table, &back, bytes.data, size, &err) == 0)
			fail_msg("%zu of %zu bytes are taken", size, bytes.size);
		assert_int_equal(err.kind, ERROR_PROTOCOL);
		assert_all_zero(&back, sizeof(back));
		assert_int_equal(record_walk_one(bytes.data, size), 0);
	}
	free(bytes.data);
}

static void a_byte_too_many_is_rejected(void **state)
{
	struct bytes bytes = packed_sample();
	size_t whole = bytes.size;
	struct sample back = {0};
	struct error err;

	(void)state;
	pack_nil(&bytes);
	assert_int_equal(unpack(&sample_table, &back, bytes.data, bytes.size, &err), -1);
	assert_int_equal(record_walk_one(bytes.data, bytes.size), whole);
	assert_int_equal(record_walk(bytes.data, bytes.size, 2, &err), 0);
	assert_int_equal(record_walk(bytes.data, bytes.size, 3, &err), -1);
	free(bytes.data);
}

/* Whatever one byte becomes: an error that owns nothing, or a record that can be released. */
static void any_changed_byte_is_survived(void **state)
{
	struct bytes bytes = packed_sample();

	(void)state;
	for (size_t at = 0; at < bytes.size; at++) {
		unsigned char old = bytes.data[at];
		for (int value = 0; value < 256; value++) {
			struct sample back = {0};
			struct error err;
			bytes.data[at] = (unsigned char)value;
			if (unpack(&sample_table, &back, bytes.data, bytes.size, &err) < 0)
				assert_all_zero(&back, sizeof(back));
			record_release(&sample_table, &back);
		}
		bytes.data[at] = old;
	}
	free(bytes.data);
}

/* msgpack-c issue 1013: the first of these makes it ask for 96 GB. */
static void lies_about_lengths_are_rejected(void **state)
{
	static const struct {
		unsigned char bytes[12];
		size_t size;
	} cases[] = {
		{{0xdd, 0xff, 0x00, 0x00, 0x00}, 5},              /* array 32 */
		{{0xdf, 0xff, 0x00, 0x00, 0x00}, 5},              /* map 32 */
		{{0xdd, 0xff, 0xff, 0xff, 0xff}, 5},              /* array 32 */
		{{0xdf, 0xff, 0xff, 0xff, 0xff}, 5},              /* map 32 */
		{{0xdc, 0xff, 0xff}, 3},                          /* array 16 */
		{{0xde, 0x00, 0x01, 0x01}, 4},                    /* map 16, no value */
		{{0x92, 0xc0}, 2},                                /* fixarray */
		{{0x81, 0xc0}, 2},                                /* fixmap */
		{{0xdb, 0xff, 0xff, 0xff, 0xff, 'a'}, 6},         /* str 32 */
		{{0xc6, 0xff, 0xff, 0xff, 0xff, 'a'}, 6},         /* bin 32 */
		{{0xc9, 0xff, 0xff, 0xff, 0xff, 0x01, 'a'}, 7},   /* ext 32 */
		{{0xd8, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12}, /* fixext 16 */
		{{0xa2, 'a'}, 2},                                 /* fixstr */
		{{0xcb, 0, 0, 0, 0, 0, 0, 0}, 8},                 /* float 64 */
		{{0xda, 0x00}, 2},                                /* half a length */
		{{0xc1}, 1},                                      /* means nothing */
		{{0x91, 0xdd, 0x00, 0x00, 0x00, 0x02, 0xc0}, 7},  /* inside another */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample back = {0};
		struct error err = {0};
		if (unpack(&sample_table, &back, cases[i].bytes, cases[i].size, &err) == 0)
			fail_msg("case %zu is taken", i);
		assert_int_equal(err.kind, ERROR_PROTOCOL);
		assert_int_equal(record_walk(cases[i].bytes, cases[i].size, 1, &err), -1);
	}
}

static void whole_values_of_every_format_are_walked(void **state)
{
	static const struct {
		unsigned char bytes[24];
		size_t size;
	} cases[] = {
		{{0x00}, 1},
		{{0x7f}, 1},
		{{0xff}, 1},
		{{0xe0}, 1},
		{{0xc0}, 1},
		{{0xc2}, 1},
		{{0xc3}, 1},
		{{0x80}, 1},
		{{0x90}, 1},
		{{0xa0}, 1},
		{{0x82, 1, 2, 3, 4}, 5},
		{{0x93, 1, 2, 3}, 4},
		{{0xa3, 'a', 'b', 'c'}, 4},
		{{0xc4, 2, 0, 0}, 4},
		{{0xc5, 0, 1, 0}, 4},
		{{0xc6, 0, 0, 0, 1, 0}, 6},
		{{0xc7, 1, 9, 0}, 4},
		{{0xc8, 0, 1, 9, 0}, 5},
		{{0xc9, 0, 0, 0, 1, 9, 0}, 7},
		{{0xca, 0, 0, 0, 0}, 5},
		{{0xcb, 0}, 9},
		{{0xcc, 0}, 2},
		{{0xcd, 0}, 3},
		{{0xce, 0}, 5},
		{{0xcf, 0}, 9},
		{{0xd0, 0}, 2},
		{{0xd1, 0}, 3},
		{{0xd2, 0}, 5},
		{{0xd3, 0}, 9},
		{{0xd4, 0}, 3},
		{{0xd5, 0}, 4},
		{{0xd6, 0}, 6},
		{{0xd7, 0}, 10},
		{{0xd8, 0}, 18},
		{{0xd9, 1, 'a'}, 3},
		{{0xda, 0, 1, 'a'}, 4},
		{{0xdb, 0, 0, 0, 1, 'a'}, 6},
		{{0xdc, 0, 1, 0}, 4},
		{{0xdd, 0, 0, 0, 1, 0}, 6},
		{{0xde, 0, 1, 0, 0}, 5},
		{{0xdf, 0, 0, 0, 1, 0, 0}, 7},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = record_walk_one(cases[i].bytes, sizeof(cases[i].bytes));
		if (size != cases[i].size)
			fail_msg("0x%02x ends at %zu, not %zu", cases[i].bytes[0], size,
				 cases[i].size);
		for (size_t less = 0; less < cases[i].size; less++)
			assert_int_equal(record_walk_one(cases[i].bytes, less), 0);
	}
}

static void seven_containers_are_walked_and_eight_refused(void **state)
{
	unsigned char bytes[128];
	struct error err;

	(void)state;
	for (size_t depth = 1; depth <= 60; depth++) {
		memset(bytes, 0x91, depth);
		bytes[depth] = 0xc0;
		assert_int_equal(record_walk(bytes, depth + 1, 1, &err), depth < 8 ? 0 : -1);
		memset(bytes, 0x81, depth); /* maps: the key is the container */
		memset(bytes + depth, 0xc0, depth + 1);
		if (depth < 30)
			assert_int_equal(record_walk(bytes, 2 * depth + 1, 1, &err),
					 depth < 8 ? 0 : -1);
	}
	/* Beside one another is not in one another. */
	memset(bytes, 0x90, sizeof(bytes));
	assert_int_equal(record_walk(bytes, sizeof(bytes), sizeof(bytes), &err), 0);
}

/* Packs a good sample but for one thing. */
static int unpack_with(void (*change)(struct sample *), struct error *err)
{
	struct sample sample = sample_full(), back = {0};
	struct bytes bytes = {0};

	change(&sample);
	record_pack(&sample_table, &sample, &bytes);
	int result = unpack(&sample_table, &back, bytes.data, bytes.size, err);
	free(bytes.data);
	record_release(&sample_table, &sample);
	record_release(&sample_table, &back);
	return result;
}

static void set_count_low(struct sample *s)
{
	s->inner.count = 0;
}
static void set_count_high(struct sample *s)
{
	s->maybe->count = 1025;
}
static void set_percent(struct sample *s)
{
	s->percent = 101;
}
static void set_part_size(struct sample *s)
{
	s->parts[0].size = 511;
}
static void set_infinite(struct sample *s)
{
	s->ratio = (double)INFINITY;
}
static void unset_name(struct sample *s)
{
	free(s->name);
	s->name = NULL;
}
static void spoil_utf8(struct sample *s)
{
	s->name[0] = '\xff';
}
static void set_nothing(struct sample *s)
{
	(void)s;
}

static void values_beyond_their_rows_are_rejected(void **state)
{
	static const struct {
		void (*change)(struct sample *);
		const char *says;
	} cases[] = {
		{set_count_low, "'count' is out of range"},
		{set_count_high, "'count' is out of range"},
		{set_percent, "'percent' is out of range"},
		{set_part_size, "'size' is out of range"},
		{set_infinite, "'ratio' is not a real number"},
		{unset_name, "'name' is absent"},
		{spoil_utf8, "'name' is not text"},
	};
	struct error err;

	(void)state;
	assert_int_equal(unpack_with(set_nothing, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (unpack_with(cases[i].change, &err) == 0 || !strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
	}
}

/* One value where a record of one row stands, and whether it is taken. */
static void wrong_types_are_rejected(void **state)
{
	struct one {
		uint32_t u32;
		uint64_t u64;
		int64_t i64;
		bool flag;
		char *text;
		enum sample_mode mode;
	};
	static const struct record_row rows[] = {
		{MEMBER(struct one, u32)},  {MEMBER(struct one, u64)},
		{MEMBER(struct one, i64)},  {MEMBER(struct one, flag)},
		{MEMBER(struct one, text)}, {MEMBER(struct one, mode), .names = mode_names},
	};
	enum { U32, U64, I64, FLAG, TEXT, MODE };
	static const struct {
		int row;
		unsigned char bytes[10];
		size_t size;
		bool good;
	} cases[] = {
		{U32, {0x05}, 1, true},
		{U32, {0xce, 0xff, 0xff, 0xff, 0xff}, 5, true},
		{U32, {0xcf, 0, 0, 0, 1, 0, 0, 0, 0}, 9, false},
		{U32, {0xff}, 1, false},
		{U32, {0xc3}, 1, false},
		{U32, {0xc0}, 1, false},
		{U32, {0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0}, 9, false},
		{U32, {0xa1, '5'}, 2, false},
		{U64, {0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9, true},
		{U64, {0xd0, 0x80}, 2, false},
		{I64, {0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}, 9, true},
		{I64, {0x05}, 1, true},
		{I64, {0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0}, 9, false},
		{FLAG, {0xc2}, 1, true},
		{FLAG, {0x01}, 1, false},
		{FLAG, {0xa4, 't', 'r', 'u', 'e'}, 5, false},
		{TEXT, {0xa1, 'x'}, 2, true},
		{TEXT, {0xa0}, 1, true},
		{TEXT, {0xc0}, 1, true},
		{TEXT, {0xc4, 1, 'x'}, 3, false},
		{TEXT, {0xa3, 'x', 0, 'y'}, 4, false},
		{TEXT, {0xa2, 0xc0, 0x80}, 3, false},
		{TEXT, {0x90}, 1, false},
		{TEXT, {0xd4, 1, 'x'}, 3, false},
		{MODE, {0xa4, 't', 'r', 'u', 'e'}, 5, true},
		{MODE, {0xa4, 't', 'r', 'u', 'x'}, 5, false},
		{MODE, {0xc3}, 1, false},
		{MODE, {0x00}, 1, false},
		{MODE, {0xc0}, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct record_table table = {.name = "one",
						   .size = sizeof(struct one),
						   .rows = &rows[cases[i].row],
						   .count = 1};
		unsigned char frame[12] = {0x91};
		struct one one = {0};
		struct error err;
		memcpy(frame + 1, cases[i].bytes, cases[i].size);
		if ((unpack(&table, &one, frame, cases[i].size + 1, &err) == 0) != cases[i].good)
			fail_msg("case %zu is %s", i, cases[i].good ? "refused" : "taken");
		record_release(&table, &one);
	}
}

static void records_with_more_or_fewer_values_are_rejected(void **state)
{
	static const unsigned char more[] = {0x93, 1, 0, 0}, fewer[] = {0x91, 1};
	static const unsigned char map[] = {0x81, 1, 0}, good[] = {0x92, 1, 0};
	struct inner inner = {0};
	struct error err;

	(void)state;
	assert_int_equal(unpack(&inner_table, &inner, good, sizeof(good), &err), 0);
	assert_int_equal(unpack(&inner_table, &inner, more, sizeof(more), &err), -1);
	assert_int_equal(unpack(&inner_table, &inner, fewer, sizeof(fewer), &err), -1);
	assert_int_equal(unpack(&inner_table, &inner, map, sizeof(map), &err), -1);
	assert_int_equal(unpack(&inner_table, &inner, "\x05", 1, &err), -1);
}

/* A million nils that claim to be a million large records. */
static void a_list_of_nothing_does_not_become_large(void **state)
{
	enum { COUNT = 1 << 20 };
	static const struct record_row rows[] = {
		{.key = "large",
		 .kind = RECORD_LIST,
		 .offset = 0,
		 .count_offset = sizeof(void *),
		 .table = &sample_table},
	};
	const struct record_table table = {.name = "t", .size = 16, .rows = rows, .count = 1};
	struct bytes bytes = {0};
	uint64_t record[4] = {0};
	struct error err;

	(void)state;
	pack_array(&bytes, 1);
	pack_array(&bytes, COUNT);
	for (int i = 0; i < COUNT; i++)
		pack_nil(&bytes);
	assert_int_equal(record_unpack(&table, record, bytes.data, bytes.size, &err), -1);
	assert_non_null(strstr(err.text, "'sample' is not 14 values"));
	free(bytes.data);
}

static void integers_take_their_shortest_form(void **state)
{
	static const struct {
		int64_t value;
		size_t size;
	} cases[] = {
		{0, 1},         {127, 1},       {128, 2},        {255, 2},       {256, 3},
		{65535, 3},     {65536, 5},     {UINT32_MAX, 5}, {-1, 1},        {-32, 1},
		{-33, 2},       {-128, 2},      {-129, 3},       {-32768, 3},    {-32769, 5},
		{INT32_MIN, 5}, {1LL << 32, 9}, {INT64_MAX, 9},  {INT64_MIN, 9},
	};
	static const struct record_row rows[] = {{.key = "v", .kind = RECORD_I64}};
	const struct record_table table = {.name = "t", .size = 8, .rows = rows, .count = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = {0};
		int64_t back = 0;
		struct error err;
		record_pack(&table, &cases[i].value, &bytes);
		if (bytes.size != 1 + cases[i].size)
			fail_msg("%lld takes %zu bytes", (long long)cases[i].value, bytes.size - 1);
		assert_int_equal(unpack(&table, &back, bytes.data, bytes.size, &err), 0);
		assert_true(back == cases[i].value);
		free(bytes.data);
	}
}

static void texts_of_every_length_class_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 31, 32, 255, 256, 65535, 65536};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct name name = {.name = mem_new(sizes[i] + 1, 1)}, back = {0};
		struct bytes bytes = {0};
		struct error err;
		memset(name.name, 'x', sizes[i]);
		record_pack(&name_table, &name, &bytes);
		assert_int_equal(unpack(&name_table, &back, bytes.data, bytes.size, &err), 0);
		assert_string_equal(back.name, name.name);
		free(bytes.data);
		record_release(&name_table, &name);
		record_release(&name_table, &back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(absent_members_stay_absent),
		cmocka_unit_test(every_truncation_is_rejected),
		cmocka_unit_test(a_byte_too_many_is_rejected),
		cmocka_unit_test(any_changed_byte_is_survived),
		cmocka_unit_test(lies_about_lengths_are_rejected),
		cmocka_unit_test(whole_values_of_every_format_are_walked),
		cmocka_unit_test(seven_containers_are_walked_and_eight_refused),
		cmocka_unit_test(values_beyond_their_rows_are_rejected),
		cmocka_unit_test(wrong_types_are_rejected),
		cmocka_unit_test(records_with_more_or_fewer_values_are_rejected),
		cmocka_unit_test(a_list_of_nothing_does_not_become_large),
		cmocka_unit_test(integers_take_their_shortest_form),
		cmocka_unit_test(texts_of_every_length_class_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
