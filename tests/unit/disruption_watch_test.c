/* The thread that watches the clocks, in a process of its own that is stopped and goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/disruption_watch.h"
#include "common/clock.h"

#define STOPPED_NS (200 * NS_PER_MS)

/* 0: a gap of at least that length was told within ten seconds. */
static int watch_for_gap(int ready, uint64_t least_ns)
{
	struct error err;
	struct disruption_watch *watch = disruption_watch_new(&err);
	struct disruption seen = {0};
	uint64_t begin = clock_now_ns(), end = begin + 10 * NS_PER_S;
	bool told = false;

	if (!watch || write(ready, "r", 1) != 1)
		return 2;
	while (!told && clock_now_ns() < end) {
		if (!disruption_watch_take(watch, &seen))
			clock_sleep(NS_PER_MS);
		else
			told = seen.kind == DISRUPTION_GAP && seen.amount_ns >= (int64_t)least_ns;
	}
	disruption_watch_free(watch);
	if (!told)
		return 1;
	return seen.from_ns < seen.to_ns && seen.to_ns < clock_now_ns() ? 0 : 3;
}

/* Nine tenths: the stop may come in the middle of a look's sleep. */
static void a_process_that_was_stopped_tells_of_the_gap(void **state)
{
	(void)state;
	int pipe_of[2], status;
	char byte;
	assert_int_equal(pipe(pipe_of), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(watch_for_gap(pipe_of[1], STOPPED_NS * 9 / 10));
	assert_int_equal(read(pipe_of[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	clock_sleep(STOPPED_NS);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(pipe_of[0]);
	close(pipe_of[1]);
}

static void it_ends_when_told_to(void **state)
{
	(void)state;
	struct error err;
	struct disruption out;
	for (int i = 0; i < 5; i++) {
		struct disruption_watch *watch = disruption_watch_new(&err);
		assert_non_null(watch);
		while (disruption_watch_take(watch, &out))
			assert_true(out.amount_ns != 0);
		assert_int_equal(disruption_watch_lost(watch), 0);
		disruption_watch_free(watch);
	}
	disruption_watch_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_was_stopped_tells_of_the_gap),
		cmocka_unit_test(it_ends_when_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
