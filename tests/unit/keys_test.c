/* Whom an agent lets in: from files that its configuration names, or from the pipe of who started
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/keys.h"
#include "common/memory.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHERS "ff23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdff"

static void keys_come_as_the_first_line_and_nothing_behind_it_is_read(void **state)
{
	struct keys keys;
	struct error err;
	char rest[8] = "";
	int ends[2];
	static const char text[] = DIGITS " " OTHERS "\nrest";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), (int)strlen(text));
	assert_int_equal(keys_receive(&keys, ends[0], &err), 0);
	assert_true(keys.secured);
	assert_int_equal(keys.count, 1);
	assert_int_equal(keys.own.secret[0], 0x01);
	assert_int_equal(keys.allowed[0][0], 0xff);
	assert_int_equal(read(ends[0], rest, sizeof(rest)), 4);
	assert_string_equal(rest, "rest");
	keys_release(&keys);
	close(ends[0]);
	close(ends[1]);
}

static void a_line_that_is_no_keys_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"\n",
		DIGITS "\n",
		DIGITS " " DIGITS,
		DIGITS " " DIGITS "0\n",
		DIGITS "," DIGITS "\n",
		DIGITS " " DIGITS "\r\n",
		DIGITS " x" DIGITS "\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct keys keys;
		struct error err;
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], rows[i], strlen(rows[i])), (int)strlen(rows[i]));
		close(ends[1]);
		if (keys_receive(&keys, ends[0], &err) == 0)
			fail_msg("row %zu", i);
		assert_int_equal(err.kind, ERROR_SETUP);
		keys_release(&keys);
		close(ends[0]);
	}
}

static void every_file_that_is_named_has_to_be_a_key(void **state)
{
	char directory[] = "/tmp/muster-keys-XXXXXX";
	struct error err;
	struct keys keys;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(key_make(directory, "agent", &err), 0);
	assert_int_equal(key_make(directory, "ops", &err), 0);
	char *own = mem_format("%s/agent.secret", directory);
	char *ops = mem_format("%s/ops.key", directory);
	char *missing = mem_format("%s/other.key", directory);
	struct name controllers[] = {{ops}, {missing}};
	struct agent_config config = {.key = own, .controllers = controllers};

	config.controllers_count = 1;
	assert_int_equal(keys_read(&keys, &config, &err), 0);
	assert_true(keys.secured && keys.count == 1);
	keys_release(&keys);
	config.controllers_count = 2;
	assert_int_equal(keys_read(&keys, &config, &err), -1);
	assert_non_null(strstr(err.text, "the key of a controller: '"));
	keys_release(&keys);
	config.key = ops;
	assert_int_equal(keys_read(&keys, &config, &err), -1);
	assert_non_null(strstr(err.text, "this agent's key: '"));
	keys_release(&keys);
	config.key = NULL;
	assert_int_equal(keys_read(&keys, &config, &err), 0);
	assert_false(keys.secured);
	keys_release(&keys);
	static const char *const names[] = {"agent.key", "agent.secret", "ops.key", "ops.secret"};
	for (size_t i = 0; i < 4; i++) {
		char *path = mem_format("%s/%s", directory, names[i]);
		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(directory), 0);
	free(own);
	free(ops);
	free(missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_come_as_the_first_line_and_nothing_behind_it_is_read),
		cmocka_unit_test(a_line_that_is_no_keys_is_refused),
		cmocka_unit_test(every_file_that_is_named_has_to_be_a_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
