/* Nobody else works with a run's journal until who does is through with it, by whatever name. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/memory.h"
#include "controller/journal.h"
#include "controller/journal_lock.h"

/* Two programs: a lock is an open file's, so they may as well be one. */
static struct journal_locks first, second;
static char directory[64];
static char *path, *fresh;

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/muster-lock-XXXXXX");
	assert_non_null(mkdtemp(directory));
	path = mem_format("%s/" JOURNAL_NAME, directory);
	fresh = mem_format("%s/" JOURNAL_NAME ".new", directory);
	make(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	journal_locks_release(&first);
	journal_locks_release(&second);
	unlink(path);
	unlink(fresh);
	rmdir(directory);
	free(path);
	free(fresh);
	return 0;
}

static void take(struct journal_locks *locks, const char *name)
{
	struct error err;

	if (journal_locks_take(locks, name, &err) < 0)
		fail_msg("%s", err.text);
}

static void require_refused(const char *name)
{
	struct error err;

	assert_int_equal(journal_locks_take(&second, name, &err), -1);
	assert_int_equal(err.kind, ERROR_SETUP);
	assert_non_null(strstr(err.text, "in use"));
	assert_int_equal(second.count, 0);
}

static void it_is_held_until_it_is_given_back(void **state)
{
	(void)state;
	take(&first, path);
	require_refused(path);
	journal_locks_release(&first);
	take(&second, path);
}

static void one_that_is_written_anew_is_held_all_the_time(void **state)
{
	(void)state;
	take(&first, path);
	make(fresh);
	take(&first, fresh);
	assert_int_equal(rename(fresh, path), 0);
	require_refused(path);
	journal_locks_release(&first);
	take(&second, path);
}

static void one_that_is_not_there_is_nobodys(void **state)
{
	(void)state;
	take(&first, fresh);
	assert_int_equal(first.count, 0);
	assert_int_equal(symlink(path, fresh), 0);
	struct error err;
	assert_int_equal(journal_locks_take(&first, fresh, &err), -1);
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

static void who_holds_it_writes_on_and_nobody_else(void **state)
{
	struct error err;
	char left[16] = "";

	(void)state;
	take(&first, path);
	assert_null(journal_open(directory, &second, 3, &err));
	assert_int_equal(err.kind, ERROR_SETUP);
	struct journal *journal = journal_open(directory, &first, 3, &err);
	assert_non_null(journal);
	require_refused(path);
	journal_close(journal);
	require_refused(path);
	int fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, left, sizeof(left)), 3);
	assert_memory_equal(left, "012", 3);
	close(fd);
	journal_locks_release(&first);
	journal = journal_open(directory, &second, 3, &err); /* a copy that nobody held before */
	assert_non_null(journal);
	require_refused(path);
	journal_close(journal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_held_until_it_is_given_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_written_anew_is_held_all_the_time,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_not_there_is_nobodys, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_holds_it_writes_on_and_nobody_else, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
