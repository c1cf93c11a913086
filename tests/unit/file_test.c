/* What a program finds in place of standard files that it was started without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

/* In a child: nothing can be said, so the answer is a number. */
static int open_without(unsigned closed)
{
	char byte = 'x';

	for (int fd = 0; fd <= 2; fd++)
		if (closed & 1u << fd)
			close(fd);
	file_hold_standard();
	for (int fd = 0; fd <= 2; fd++)
		if (closed & 1u << fd && (fd ? write(fd, &byte, 1) : read(fd, &byte, 1)) >= 0)
			return 1;
	return open("/dev/null", O_RDWR) > 2 ? 0 : 2;
}

static void no_file_takes_the_number_of_a_closed_standard_file(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 8; closed++) {
		int status = -1;
		pid_t child = fork();
		if (child == 0)
			_exit(open_without(closed));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_file_takes_the_number_of_a_closed_standard_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
