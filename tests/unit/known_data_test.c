/* What is known from run to run: comes back as it was kept, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/expect.h"
#include "agent/known_data.h"
#include "agent/made_list.h"
#include "common/memory.h"
#include "tests/unit/loop_device.h"

static struct written_range ranges[] = {
	{.from = 0, .to = 4096, .seed = 7, .owner = 1, .oldest = 3, .newest = 3},
	{.from = 8192,
	 .to = UINT64_C(1) << 44,
	 .seed = UINT64_MAX,
	 .owner = UINT64_MAX,
	 .oldest = 0,
	 .newest = 4,
	 .unit = 512,
	 .shape = {.source = PATTERN_AES_CTR, .compress = 50, .dedupe = 20}},
};
static const struct known_data some = {.run = "20261130-1-abcd",
				       .key = "/a path/x",
				       .generation = 5,
				       .ranges = ranges,
				       .count = 2};

static void assert_same(const struct known_data *a, const struct known_data *b)
{
	assert_string_equal(a->run, b->run);
	assert_string_equal(a->key, b->key);
	assert_int_equal(a->generation, b->generation);
	assert_string_equal(a->boot ? a->boot : "", b->boot ? b->boot : "");
	assert_int_equal(a->count, b->count);
	for (uint32_t i = 0; i < a->count; i++) {
		const struct written_range *x = &a->ranges[i], *y = &b->ranges[i];
		assert_true(x->from == y->from && x->to == y->to && x->seed == y->seed &&
			    x->owner == y->owner && x->oldest == y->oldest &&
			    x->newest == y->newest && x->unit == y->unit &&
			    pattern_shape_is_equal(x->shape, y->shape));
	}
}

static void what_is_formatted_is_parsed(void **state)
{
	(void)state;
	char *text = known_data_format(&some);
	struct known_data back;

	assert_int_equal(known_data_parse(&back, text, strlen(text)), 0);
	assert_same(&back, &some);
	known_data_release(&back);
	free(text);

	struct known_data unsynced = some;
	unsynced.boot = "an id";
	text = known_data_format(&unsynced);
	assert_int_equal(known_data_parse(&back, text, strlen(text)), 0);
	assert_same(&back, &unsynced);
	known_data_release(&back);
	free(text);
}

/* A byte less, a byte more, a byte wrong: nothing is known then. */
static void damage_is_seen(void **state)
{
	(void)state;
	char *text = known_data_format(&some);
	size_t size = strlen(text);
	struct known_data back;

	for (size_t i = 0; i < size; i++) {
		assert_int_equal(known_data_parse(&back, text, i), -1);
		text[i] ^= 1;
		assert_int_equal(known_data_parse(&back, text, size), -1);
		text[i] ^= 1;
		char was = text[i];
		text[i] = '\0';
		assert_int_equal(known_data_parse(&back, text, size), -1);
		text[i] = was;
	}
	char *more = mem_format("%s%s", text, text);
	assert_int_equal(known_data_parse(&back, more, strlen(more)), -1);
	free(more);
	free(text);
}

/* Whole lines with right checksums that say what cannot be. */
static void nonsense_is_not_known(void **state)
{
	(void)state;
	static const char *const events[][6] = {
		{"known 1 r", "key k", "generation 1", "end 1"},
		{"known 2 r", "key k", "generation 1", "end 0"},
		{"known 1 ", "key k", "generation 1", "end 0"},
		{"key k", "known 1 r", "generation 1", "end 0"},
		{"known 1 r", "key k", "generation", "end 0"},
		{"known 1 r", "key k", "generation 281474976710656", "end 0"},
		{"known 1 r", "key k", "generation 1", "range 512 512 1 1 0 0 0 0", "end 1"},
		{"known 1 r", "key k", "generation 1", "range 0 512 1 1 0 1 0 0", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 512 1 1 2 1 0 0", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 100 1 1 0 0 0 0", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 512 1 1 0 0 100 0", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 512 1 1 0 0 0 127", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 512 1 1 0 0 0 0 0", "end 1"},
		{"known 1 r", "key k", "generation 9", "range 0 1024 1 1 0 0 0 0",
		 "range 512 2048 1 1 0 0 0 0", "end 2"},
		{"known 1 r", "key k", "generation 9", "end 0", "end 0"},
		{"known 1 r", "key k", "boot ", "generation 9", "end 0"},
		{"known 1 r", "key k", "boot a", "boot b", "generation 9", "end 0"},
		{"known 1 r", "boot a", "key k", "generation 9", "end 0"},
	};
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char *text = mem_text("");
		struct known_data back;
		for (size_t k = 0; k < 6 && events[i][k]; k++) {
			char *line = made_list_line(events[i][k]);
			char *longer = mem_format("%s%s", text, line);
			free(text);
			free(line);
			text = longer;
		}
		if (known_data_parse(&back, text, strlen(text)) == 0)
			fail_msg("row %zu is taken", i);
		free(text);
	}
}

static void what_is_saved_is_loaded_and_dropped(void **state)
{
	(void)state;
	struct error err;
	struct known_data back, other = some;

	assert_int_equal(known_data_load(test_folder, some.key, &back, &err), 0);
	assert_int_equal(known_data_drop(test_folder, some.key, &err), 0);
	assert_int_equal(known_data_save(test_folder, &some, &err), 0);
	other.run = "later";
	assert_int_equal(known_data_save(test_folder, &other, &err), 0);
	assert_int_equal(known_data_load(test_folder, some.key, &back, &err), 1);
	assert_same(&back, &other);
	known_data_release(&back);
	assert_int_equal(known_data_load(test_folder, "/another", &back, &err), 0);
	assert_int_equal(known_data_drop(test_folder, some.key, &err), 0);
	assert_int_equal(known_data_load(test_folder, some.key, &back, &err), 0);
	other.key = "two\nlines";
	assert_int_equal(known_data_save(test_folder, &other, &err), -1);
	assert_int_equal(known_data_save("/nowhere", &some, &err), -1);
	assert_non_null(strstr(err.text, "/nowhere"));
}

/* What a phase left, and whether the next run may expect it. */
static int expect_after(bool is_unsynced, bool is_in_doubt, const char *boot, struct error *err)
{
	const struct target target = {.name = "t"};
	struct part part = {.target = &target,
			    .kind = PART_FILE,
			    .path = "/a path/y",
			    .known_as = "/a path/y",
			    .is_changed = true,
			    .is_unsynced = is_unsynced,
			    .is_in_doubt = is_in_doubt,
			    .used_bytes = 4096};
	struct part *parts[] = {&part};
	struct phase_targets targets = {.parts = parts, .parts_count = 1};
	struct written *written = written_new(), *later = written_new();
	struct known_data kept;

	assert_int_equal(known_data_drop(test_folder, part.known_as, err), 0);
	written_set_generation(written, part.path, 4);
	written_set(written, part.path, &ranges[0]);
	expect_remember(&targets, "r", test_folder, written);
	if (boot && known_data_load(test_folder, part.known_as, &kept, err) == 1) {
		free(kept.boot);
		kept.boot = mem_text(boot);
		assert_int_equal(known_data_save(test_folder, &kept, err), 0);
		known_data_release(&kept);
	}
	int status = expect_load(&targets, "r", test_folder, later, err);
	written_free(written);
	written_free(later);
	return status;
}

/* Whoever lost power after writes that nothing synced has storage that is not to blame. */
static void what_was_not_synced_is_known_until_the_next_boot(void **state)
{
	(void)state;
	struct error err = {0};

	assert_int_equal(expect_after(false, false, NULL, &err), 0);
	assert_int_equal(expect_after(true, false, NULL, &err), 0);
	assert_int_equal(expect_after(true, false, "of another boot", &err), -1);
	assert_non_null(strstr(err.text, "did not end its writing to '/a path/y' with a sync"));
	assert_int_equal(expect_after(true, true, NULL, &err), -1);
	assert_non_null(strstr(err.text, "nothing is known"));
	assert_int_equal(expect_after(false, true, NULL, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_formatted_is_parsed),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(nonsense_is_not_known),
		cmocka_unit_test(what_is_saved_is_loaded_and_dropped),
		cmocka_unit_test(what_was_not_synced_is_known_until_the_next_boot),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
