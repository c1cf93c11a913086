#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record_doc.h"
#include "tests/unit/record_sample.h"

/* The documentation of the sample twice over, the caller's to free. */
static char *print(bool all)
{
	const struct record_table *const tables[] = {&sample_table, &sample_table};
	FILE *file = tmpfile();
	char *text = mem_new(16384, 1);

	assert_non_null(file);
	record_doc_print(tables, 2, all, file);
	rewind(file);
	size_t size = fread(text, 1, 16383, file);
	assert_true(size > 0 && size < 16383);
	fclose(file);
	return text;
}

static int count(const char *text, const char *part)
{
	int found = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		found++;
	return found;
}

static void a_person_reads_what_to_write(void **state)
{
	static const char *const lines[] = {
		"## sample\n\nEvery kind.\n\n| key | takes | default | meaning |\n",
		"\n|---|---|---|---|\n| `name` | text | required | its name |\n",
		"\n| `mode` | one of true, prefer, false | `prefer` | a mode |\n",
		"\n| `percent` | a share (10%), at most 100% |  | a share |\n",
		"\n| `inner` | a map ([inner](#inner)) |  | inside |\n",
		"\n| `names` | a list: [a, b] | `[one, two]` | names |\n",
		"\n| `labels` | a map: {a: b} |  | labels |\n",
		"\n| `parts` | a map by name ([part](#part)) |  | parts |\n",
		"\n| `steps` | a list ([inner](#inner)) |  | steps |\n",
		"\n| `size` | bytes (64KiB), 512 to 1GiB | `128KiB` | a\\|b |\n",
	};
	char *text = print(false);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no '%s' in\n%s", lines[i], text);
	assert_null(strstr(text, "`total`")); /* computed */
	free(text);
}

static void each_table_has_one_section(void **state)
{
	char *text = print(false);

	(void)state;
	assert_int_equal(count(text, "## sample\n"), 1);
	assert_int_equal(count(text, "## inner\n"), 1);
	assert_int_equal(count(text, "## part\n"), 1);
	assert_int_equal(count(text, "## "), 3);
	free(text);
}

static void a_program_reads_what_is_carried(void **state)
{
	static const char *const lines[] = {
		"| key | value | meaning |\n|---|---|---|\n| `name` | text | its name |\n",
		"\n| `total` | u64 | the sum |\n",
		"\n| `size` | u64, bytes, 512 to 1073741824 | a\\|b |\n",
		"\n| `maybe` | nil or [inner](#inner) | may be absent |\n",
		"\n| `parts` | list of [part](#part) | parts |\n",
		"\n| `names` | list of [name](#name) | names |\n",
		"## name\n",
	};
	char *text = print(true);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no '%s' in\n%s", lines[i], text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_person_reads_what_to_write),
		cmocka_unit_test(each_table_has_one_section),
		cmocka_unit_test(a_program_reads_what_is_carried),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
