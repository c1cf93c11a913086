/* Key files: made once, read strictly, and refused when others could read or change them. */
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

#include "common/memory.h"
#include "proto/auth.h"
#include "proto/key.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char directory[] = "/tmp/muster-key-XXXXXX";

static char *path_of(const char *name)
{
	return mem_format("%s/%s", directory, name);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void what_keygen_makes_is_read_back(void **state)
{
	struct error err;
	struct key_pair pair;
	unsigned char public[KEY_SIZE];
	struct stat status;

	(void)state;
	char *key = path_of("a/b/ops.key"), *secret = path_of("a/b/ops.secret");
	char *deep = path_of("a/b");
	assert_int_equal(key_make(deep, "ops", &err), 0);
	assert_int_equal(key_read_secret(secret, &pair, &err), 0);
	assert_int_equal(key_read_public(key, public, &err), 0);
	assert_memory_equal(public, pair.public, KEY_SIZE);
	assert_true(auth_is_pair(&pair));
	assert_int_equal(stat(secret, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	/* Each for what it is. */
	assert_int_equal(key_read_public(secret, public, &err), -1);
	assert_non_null(strstr(err.text, "is a secret key"));
	assert_int_equal(key_read_secret(key, &pair, &err), -1);
	assert_non_null(strstr(err.text, "is a public key"));
	unlink(key);
	unlink(secret);
	rmdir(deep);
	free(deep);
	deep = path_of("a");
	rmdir(deep);
	free(deep);
	free(key);
	free(secret);
}

static void a_key_that_is_there_is_never_touched(void **state)
{
	static const char *const rows[] = {"old.key", "old.secret"};
	static const char *const others[] = {"old.secret", "old.key"};
	struct error err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *path = path_of(rows[i]), *other = path_of(others[i]), text[16] = "";
		write_file(path, "mine", 0600);
		assert_int_equal(key_make(directory, "old", &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.text, "never overwritten"));
		FILE *file = fopen(path, "r");
		assert_non_null(fgets(text, sizeof(text), file));
		fclose(file);
		assert_string_equal(text, "mine");
		assert_int_equal(access(other, F_OK), -1);
		unlink(path);
		free(path);
		free(other);
	}
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const rows[] = {"",   ".",   "..",   "../x", "a/b",
					   "-x", "a b", "a\nb", "{h}"};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (key_make(directory, rows[i], &err) == 0)
			fail_msg("row '%s'", rows[i]);
		assert_int_equal(err.kind, ERROR_USAGE);
	}
}

static void others_may_neither_read_a_secret_nor_change_a_public_key(void **state)
{
	static const struct {
		const char *name;
		mode_t mode;
		const char *want; /* NULL: taken */
	} rows[] = {
		{"m.secret", 0600, NULL},
		{"m.secret", 0400, NULL},
		{"m.secret", 0640, "type: chmod 600 '"},
		{"m.secret", 0604, "others may read it (mode 0604)"},
		{"m.secret", 0644, "type: chmod 600 '"},
		{"m.key", 0644, NULL},
		{"m.key", 0444, NULL},
		{"m.key", 0664, "type: chmod go-w '"},
		{"m.key", 0646, "others may change it (mode 0646)"},
	};
	struct error err;

	(void)state;
	assert_int_equal(key_make(directory, "m", &err), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = path_of(rows[i].name);
		struct key_pair pair;
		unsigned char public[KEY_SIZE];
		assert_int_equal(chmod(path, rows[i].mode), 0);
		int result = strstr(path, ".secret") ? key_read_secret(path, &pair, &err)
						     : key_read_public(path, public, &err);
		if ((result == 0) != !rows[i].want ||
		    (rows[i].want && !strstr(err.text, rows[i].want)))
			fail_msg("row %zu: %d %s", i, result, err.text);
		if (result)
			assert_non_null(strstr(err.text, path));
		free(path);
	}
}

static void what_is_no_key_file_is_named(void **state)
{
	struct error err;
	unsigned char public[KEY_SIZE];
	char *fifo = path_of("fifo"), *missing = path_of("missing.key");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(key_read_public(fifo, public, &err), -1);
	assert_non_null(strstr(err.text, "is no file"));
	assert_int_equal(key_read_public(directory, public, &err), -1);
	assert_int_equal(key_read_public(missing, public, &err), -1);
	assert_non_null(strstr(err.text, "is not there; muster keygen"));
	if (geteuid() == 0) {
		write_file(missing, "muster-key 1\nname a\npublic " DIGITS "\n", 0644);
		assert_int_equal(key_read_public(missing, public, &err), 0);
		assert_int_equal(chown(missing, 12345, 0), 0);
		assert_int_equal(key_read_public(missing, public, &err), -1);
		assert_non_null(strstr(err.text, "belongs to user 12345"));
		unlink(missing);
	}
	unlink(fifo);
	free(fifo);
	free(missing);
}

static void a_secret_has_to_fit_its_public_part(void **state)
{
	struct error err;
	struct key_pair pair;
	char *path = path_of("bent.secret");

	(void)state;
	write_file(path, "muster-key 1\nname a\npublic " DIGITS "\nsecret " DIGITS "\n", 0600);
	assert_int_equal(key_read_secret(path, &pair, &err), -1);
	assert_non_null(strstr(err.text, "do not belong together"));
	unlink(path);
	free(path);
}

static void text_is_read_strictly(void **state)
{
	static const struct {
		const char *text, *want; /* NULL: fine */
	} rows[] = {
		{"muster-key 1\nname a\npublic " DIGITS "\n", NULL},
		{"# x\n\nmuster-key 1\nname a-B_9.c\n# y\npublic " DIGITS, NULL},
		{"", "line 1: no key of muster: it is empty"},
		{"# x\n", "no key of muster"},
		{"muster-key 2\n", "line 1: no key of muster"},
		{"muster-key 1\r\n", "line 1: no key of muster"},
		{"-----BEGIN PRIVATE KEY-----\n", "line 1: no key of muster"},
		{"muster-key 1\nmuster-key 1\n", "line 2: wanted is"},
		{"muster-key 1\npublic " DIGITS "\n", "'name' is missing"},
		{"muster-key 1\nname a\n", "'public' is missing"},
		{"muster-key 1\nname a\nname b\n",
		 "line 3: 'name' stands here for the second time"},
		{"muster-key 1\nname a/b\n", "line 2: a name consists of"},
		{"muster-key 1\nname ..\n", "line 2: a name consists of"},
		{"muster-key 1\nname\n", "line 2: a name consists of"},
		{"muster-key 1\nname a\npublic 12\n", "line 3: a key is 64 digits"},
		{"muster-key 1\nname a\npublic " DIGITS "0\n", "line 3: a key is 64 digits"},
		{"muster-key 1\nname a\npublic " DIGITS "\npublic " DIGITS "\n",
		 "line 4: 'public' stands"},
		{"muster-key 1\nname a\nprivate " DIGITS "\n", "line 3: wanted is"},
		{" muster-key 1\n", "line 1: no key"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct key_file file;
		struct error err = {0};
		int result = key_parse(&file, rows[i].text, strlen(rows[i].text), &err);
		if ((result == 0) != !rows[i].want ||
		    (rows[i].want && !strstr(err.text, rows[i].want)))
			fail_msg("row %zu: %d %s", i, result, err.text);
	}
}

static void a_name_is_in_the_directory_and_a_slash_makes_a_path(void **state)
{
	char *path = key_path("./ops.key", KEY_PART_PUBLIC);

	(void)state;
	assert_string_equal(path, "./ops.key");
	free(path);
	assert_int_equal(unsetenv("MUSTER_KEYS"), 0);
	char *home = key_directory(), *want = mem_format("%s/ops.secret", home);
	path = key_path("ops", KEY_PART_SECRET);
	assert_string_equal(path, want);
	if (geteuid() == 0)
		assert_string_equal(home, "/etc/muster/keys");
	free(path);
	free(home);
	free(want);
	assert_int_equal(setenv("MUSTER_KEYS", "/k", 1), 0);
	path = key_path("ops", KEY_PART_PUBLIC);
	assert_string_equal(path, "/k/ops.key");
	free(path);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char *key = path_of("m.key"), *secret = path_of("m.secret");

	(void)state;
	unlink(key);
	unlink(secret);
	free(key);
	free(secret);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_keygen_makes_is_read_back),
		cmocka_unit_test(a_key_that_is_there_is_never_touched),
		cmocka_unit_test(names_that_lead_elsewhere_are_refused),
		cmocka_unit_test(others_may_neither_read_a_secret_nor_change_a_public_key),
		cmocka_unit_test(what_is_no_key_file_is_named),
		cmocka_unit_test(a_secret_has_to_fit_its_public_part),
		cmocka_unit_test(text_is_read_strictly),
		cmocka_unit_test(a_name_is_in_the_directory_and_a_slash_makes_a_path),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
