#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/evidence.h"
#include "common/memory.h"
#include "tests/unit/loop_device.h"

static struct evidence opened(void)
{
	struct evidence evidence = {0};
	struct error err;

	if (evidence_open(&evidence, test_folder, "r", 7, "a/b", &err) < 0)
		fail_msg("%s", err.text);
	return evidence;
}

static void what_was_found_is_never_written_over(void **state)
{
	struct evidence first = opened();
	uint32_t place;
	char text[6] = "";

	(void)state;
	assert_non_null(strstr(first.path, "miscompare.r.7.a_b"));
	assert_true(evidence_take(&first, &place));
	evidence_put(&first, place, "first", "xx", "yy", 2);
	char *path = mem_text(first.path);
	evidence_release(&first);

	struct evidence second = opened();
	assert_string_not_equal(second.path, path);
	char *other = mem_text(second.path);
	evidence_release(&second); /* empty: it goes, and it alone */
	assert_int_not_equal(access(other, F_OK), 0);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, 5, file), 5);
	assert_string_equal(text, "first");
	fclose(file);
	unlink(path);
	free(path);
	free(other);
}

static void an_empty_one_leaves_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct evidence evidence = opened();
		assert_null(strstr(evidence.path, "a_b."));
		evidence_release(&evidence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_found_is_never_written_over),
		cmocka_unit_test(an_empty_one_leaves_its_name),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
