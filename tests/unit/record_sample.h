/* record_sample.h - a record with a member of every kind, for the tests of records. */
#ifndef MUSTER_TESTS_UNIT_RECORD_SAMPLE_H
#define MUSTER_TESTS_UNIT_RECORD_SAMPLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/memory.h"
#include "common/record.h"

enum sample_mode { SAMPLE_MODE_TRUE, SAMPLE_MODE_PREFER, SAMPLE_MODE_FALSE };

struct label {
	char *name;
	char *value;
};
struct part {
	char *name;
	uint64_t size; /* bytes */
	struct name *parts;
	uint32_t parts_count;
};
struct inner {
	uint32_t count;
	uint64_t wait; /* ns */
};
struct sample {
	char *name;
	bool flag;
	enum sample_mode mode;
	uint32_t percent;
	uint64_t size; /* bytes */
	int64_t offset;
	double ratio;
	struct inner inner;
	struct inner *maybe;
	struct name *names;
	uint32_t names_count;
	struct label *labels;
	uint32_t labels_count;
	struct part *parts;
	uint32_t parts_count;
	struct inner *steps;
	uint32_t steps_count;
	uint64_t total; /* computed */
};

static const struct record_row label_rows[] = {
	{MEMBER(struct label, name), .doc = "key"},
	{MEMBER(struct label, value), .doc = "value"},
};
static const struct record_table label_table =
	RECORD_TABLE(struct label, "label", label_rows, "A label.");
static const struct record_row part_rows[] = {
	{MEMBER(struct part, name), .required = true, .doc = "its name"},
	{MEMBER(struct part, size), .unit = UNIT_BYTES, .min = 512, .max = 1 << 30,
	 .fallback = "128KiB", .doc = "a|b"},
	{MEMBER_LIST(struct part, parts, name_table), .doc = "beneath"},
};
static const struct record_table part_table =
	RECORD_TABLE(struct part, "part", part_rows, "A part.");
static const struct record_row inner_rows[] = {
	{MEMBER(struct inner, count), .min = 1, .max = 1024, .fallback = "4", .doc = "how many"},
	{MEMBER(struct inner, wait), .unit = UNIT_NS, .doc = "how long"},
};
static const struct record_table inner_table =
	RECORD_TABLE(struct inner, "inner", inner_rows, "Inside.");
static const char *const mode_names[] = {"true", "prefer", "false", NULL};
static const struct record_row sample_rows[] = {
	{MEMBER(struct sample, name), .required = true, .doc = "its name"},
	{MEMBER(struct sample, flag), .fallback = "true", .doc = "a flag"},
	{MEMBER(struct sample, mode), .names = mode_names, .fallback = "prefer", .doc = "a mode"},
	{MEMBER(struct sample, percent), .unit = UNIT_PERCENT, .max = 100, .doc = "a share"},
	{MEMBER(struct sample, size), .unit = UNIT_BYTES, .doc = "a size"},
	{MEMBER(struct sample, offset), .doc = "a signed number"},
	{MEMBER(struct sample, ratio), .doc = "a real number"},
	{MEMBER_ONE(struct sample, inner, inner_table), .doc = "inside"},
	{MEMBER_MAYBE(struct sample, maybe, inner_table), .doc = "may be absent"},
	{MEMBER_LIST(struct sample, names, name_table), .fallback = "[one, two]", .doc = "names"},
	{MEMBER_LIST(struct sample, labels, label_table), .keyed = true, .doc = "labels"},
	{MEMBER_LIST(struct sample, parts, part_table), .keyed = true, .doc = "parts"},
	{MEMBER_LIST(struct sample, steps, inner_table), .doc = "steps"},
	{MEMBER(struct sample, total), .computed = true, .doc = "the sum"},
};
static const struct record_table sample_table =
	RECORD_TABLE(struct sample, "sample", sample_rows, "Every kind.");

/* A sample with something in every member. */
static inline struct sample sample_full(void)
{
	struct sample s = {
		.name = mem_text("perc \"0\""),
		.flag = true,
		.mode = SAMPLE_MODE_FALSE,
		.percent = 70,
		.size = UINT64_C(1) << 40,
		.offset = -1234567890123,
		.ratio = 0.1,
		.inner = {.count = 7, .wait = 300},
		.total = UINT64_MAX >> 1,
	};
	s.maybe = mem_new(1, sizeof(*s.maybe));
	*s.maybe = (struct inner){.count = 1024};
	((struct name *)RECORD_APPEND(s.names, s.names_count))->name = mem_text("a");
	((struct name *)RECORD_APPEND(s.names, s.names_count))->name = mem_text("\xc3\xa4,b");
	struct label *label = RECORD_APPEND(s.labels, s.labels_count);
	*label = (struct label){.name = mem_text("os"), .value = mem_text("linux")};
	struct part *part = RECORD_APPEND(s.parts, s.parts_count);
	*part = (struct part){.name = mem_text("p0"), .size = 4096};
	((struct name *)RECORD_APPEND(part->parts, part->parts_count))->name = mem_text("q");
	struct inner *step = RECORD_APPEND(s.steps, s.steps_count);
	step->count = 1;
	return s;
}

/* Fails unless both samples hold the same. */
static inline void sample_assert_equal(const struct sample *a, const struct sample *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->flag, b->flag);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->percent, b->percent);
	assert_int_equal(a->size, b->size);
	assert_true(a->offset == b->offset);
	assert_memory_equal(&a->ratio, &b->ratio, sizeof(a->ratio));
	assert_memory_equal(&a->inner.wait, &b->inner.wait, sizeof(a->inner.wait));
	assert_int_equal(a->inner.count, b->inner.count);
	assert_int_equal(!a->maybe, !b->maybe);
	if (a->maybe)
		assert_int_equal(a->maybe->count, b->maybe->count);
	assert_int_equal(a->names_count, b->names_count);
	for (uint32_t i = 0; i < a->names_count; i++)
		assert_string_equal(a->names[i].name, b->names[i].name);
	assert_int_equal(a->labels_count, b->labels_count);
	for (uint32_t i = 0; i < a->labels_count; i++) {
		assert_string_equal(a->labels[i].name, b->labels[i].name);
		assert_string_equal(a->labels[i].value, b->labels[i].value);
	}
	assert_int_equal(a->parts_count, b->parts_count);
	for (uint32_t i = 0; i < a->parts_count; i++) {
		assert_string_equal(a->parts[i].name, b->parts[i].name);
		assert_int_equal(a->parts[i].size, b->parts[i].size);
		assert_int_equal(a->parts[i].parts_count, b->parts[i].parts_count);
	}
	assert_int_equal(a->steps_count, b->steps_count);
	assert_true(a->total == b->total);
}

#endif
