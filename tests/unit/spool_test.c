/* The agent's spool: its own alone, and nobody else's to write to. */
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

#include "agent/spool.h"
#include "common/memory.h"

static char directory[] = "/tmp/muster-spool-XXXXXX";
static char *path;

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	path = mem_format("%s/deep/spool", directory);
	return 0;
}

static int remove_all(void **state)
{
	char *deep = mem_format("%s/deep", directory), *lock = mem_format("%s/lock", path);

	(void)state;
	unlink(lock);
	rmdir(path);
	rmdir(deep);
	rmdir(directory);
	free(lock);
	free(deep);
	free(path);
	return 0;
}

static void a_spool_is_made_for_its_owner_alone(void **state)
{
	struct spool spool, other;
	struct error err;
	struct stat st;

	(void)state;
	assert_int_equal(spool_open(&spool, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(spool_open(&other, path, &err), -1);
	assert_non_null(strstr(err.text, "is in use by another agent"));
	spool_close(&spool);
}

static void a_spool_that_others_may_write_to_is_refused(void **state)
{
	static const struct {
		mode_t mode;
		int want;
	} rows[] = {{0700, 0}, {0755, 0}, {0775, -1}, {0757, -1}, {01777, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spool spool;
		struct error err = {0};
		print_message("mode %04o\n", (unsigned)rows[i].mode);
		assert_int_equal(chmod(path, rows[i].mode), 0);
		assert_int_equal(spool_open(&spool, path, &err), rows[i].want);
		if (rows[i].want == 0)
			spool_close(&spool);
		else
			assert_non_null(strstr(err.text, "chmod go-w"));
	}
	assert_int_equal(chmod(path, 0700), 0);
}

static void a_spool_of_another_user_is_refused(void **state)
{
	struct spool spool;
	struct error err = {0};

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	assert_int_equal(spool_open(&spool, path, &err), -1);
	assert_non_null(strstr(err.text, "belongs to user 65534"));
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spool_is_made_for_its_owner_alone),
		cmocka_unit_test(a_spool_that_others_may_write_to_is_refused),
		cmocka_unit_test(a_spool_of_another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, make, remove_all);
}
