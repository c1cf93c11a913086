/* Who says something never waits for whoever has to take it, and what is lost is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/outlet.h"
#include "common/product.h"

#define LINES 20000 /* some MiB: more than a pipe and the outlet hold */

/* Puts the end of a new pipe in place of `fd`; answers the other end. */
static int begin(int fd, int *saved)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	*saved = dup(fd);
	assert_int_equal(dup2(ends[1], fd), fd);
	close(ends[1]);
	return ends[0];
}

static void end(int fd, int saved)
{
	dup2(saved, fd);
	close(saved);
}

/* All that comes until the other end is closed, or `most` bytes are there. */
static char *read_all(int fd, size_t most)
{
	char *text = calloc(most + 1, 1);
	ssize_t got;

	for (size_t size = 0; size < most && (got = read(fd, text + size, most - size)) > 0;)
		size += (size_t)got;
	return text;
}

static uint32_t count(const char *text, const char *word)
{
	uint32_t found = 0;

	while ((text = strstr(text, word))) {
		found++;
		text++;
	}
	return found;
}

/* Lines that are there and those that are said to be missing. */
static uint32_t known_lines(const char *text, uint32_t *missing)
{
	unsigned more;

	*missing = 0;
	for (const char *at = text; (at = strchr(at, '(')); at++)
		if (sscanf(at, "(%u lines are missing here", &more) == 1)
			*missing += more;
	return count(text, "line with enough") + *missing;
}

static void what_nobody_takes_is_dropped_and_counted(void **state)
{
	int saved, out = begin(STDERR_FILENO, &saved);
	uint32_t missing = 0, others = 0, known = 0;

	(void)state;
	outlet_start();
	for (uint32_t i = 0; i < LINES; i++)
		log_info("line with enough in it that many of them are more than is kept %u", i);
	/* Here somebody begins to read: there is room again. */
	fcntl(out, F_SETFL, O_NONBLOCK);
	uint64_t until = clock_now_ns() + 20 * NS_PER_S;
	char *text = calloc(4 << 20, 1);
	for (size_t size = 0; known < LINES && clock_now_ns() < until;) {
		ssize_t got = read(out, text + size, 4096);
		if (got > 0) {
			size += (size_t)got;
			continue;
		}
		log_info("another %u", others++);
		clock_sleep(NS_PER_MS);
		known = known_lines(text, &missing);
	}
	outlet_end();
	end(STDERR_FILENO, saved);
	/* Of the others some may be missing as well. */
	assert_in_range(known, LINES, LINES + others);
	assert_true(missing > 0);
	free(text);
	close(out);
}

static void an_end_that_nobody_reads_is_not_waited_for(void **state)
{
	int saved, out = begin(STDERR_FILENO, &saved);

	(void)state;
	outlet_start();
	for (uint32_t i = 0; i < LINES; i++)
		log_info("line %u", i);
	uint64_t began = clock_now_ns();
	outlet_end(); /* promises 5 s */
	assert_true(clock_now_ns() - began < 10 * NS_PER_S);
	end(STDERR_FILENO, saved);
	close(out);
}

static void a_product_that_nobody_takes_is_an_error_in_time(void **state)
{
	int saved, out = begin(STDOUT_FILENO, &saved);
	struct error err = {0};

	(void)state;
	for (uint32_t i = 0; i < LINES; i++)
		product_print("a line of the report\n");
	int failed = product_deliver(NS_PER_S / 5, &err);
	end(STDOUT_FILENO, saved);
	assert_int_equal(failed, -1);
	assert_non_null(strstr(err.text, "cannot write to standard output: nobody has taken"));
	close(out);
}

static void a_reader_that_is_gone_is_an_error_at_once(void **state)
{
	int saved, out = begin(STDOUT_FILENO, &saved);
	struct error err = {0};

	(void)state;
	close(out);
	product_print("a line of the report\n");
	int failed = product_deliver(PRODUCT_PATIENCE_NS, &err);
	end(STDOUT_FILENO, saved);
	assert_int_equal(failed, -1);
	assert_non_null(strstr(err.text, "Broken pipe"));
}

static void a_product_is_delivered_whole(void **state)
{
	int saved, out = begin(STDOUT_FILENO, &saved);
	struct error err = {0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		product_print("a line of the report %u\n", i);
	int failed = product_deliver(PRODUCT_PATIENCE_NS, &err);
	end(STDOUT_FILENO, saved);
	assert_int_equal(failed, 0);
	char *text = read_all(out, 1 << 20);
	assert_int_equal(count(text, "a line of the report"), 1000);
	free(text);
	close(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_takes_is_dropped_and_counted),
		cmocka_unit_test(a_product_is_delivered_whole),
		cmocka_unit_test(a_reader_that_is_gone_is_an_error_at_once),
		cmocka_unit_test(an_end_that_nobody_reads_is_not_waited_for),
		cmocka_unit_test(a_product_that_nobody_takes_is_an_error_in_time),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
