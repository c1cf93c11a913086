/* Bytes go into a file in order, whoever adds them never waits for its disk, and what the disk says
 * is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/writer.h"

#define PIECES 64
#define PIECE  (64 << 10) /* all together are more than a pipe holds */

static void add(struct writer *writer, unsigned char fill, size_t size)
{
	struct bytes bytes = {0};
	unsigned char *data = malloc(size ? size : 1);

	memset(data, fill, size);
	bytes_append(&bytes, data, size);
	free(data);
	writer_add(writer, &bytes);
	assert_null(bytes.data);
}

static struct writer *writer_of(int fd)
{
	struct error err;
	struct writer *writer = writer_new(fd, &err);

	if (!writer)
		fail_msg("%s", err.text);
	return writer;
}

static struct writer_state wait_until_idle(struct writer *writer)
{
	struct writer_state state = writer_look(writer);

	while (state.is_busy) {
		clock_sleep(NS_PER_MS);
		state = writer_look(writer);
	}
	return state;
}

/* A pipe that nobody reads takes nothing, as a disk that hangs. */
static void nobody_waits_for_a_disk_that_hangs(void **state)
{
	int ends[2];
	unsigned char data[PIECE];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	struct writer *writer = writer_of(ends[1]);
	for (unsigned i = 0; i < PIECES; i++)
		add(writer, (unsigned char)i, PIECE);
	struct writer_state look = writer_look(writer);
	assert_true(look.is_busy && look.waiting > 0 && !look.is_broken);
	while (!writer_look(writer).stalled_ns)
		clock_sleep(NS_PER_MS);

	for (unsigned i = 0; i < PIECES; i++)
		for (size_t at = 0; at < PIECE;) {
			ssize_t got = read(ends[0], data + at, PIECE - at);
			assert_true(got > 0);
			for (ssize_t b = 0; b < got; b++)
				assert_int_equal(data[at + (size_t)b], i);
			at += (size_t)got;
		}
	look = wait_until_idle(writer);
	assert_int_equal(look.waiting, 0);
	assert_int_equal(look.stalled_ns, 0);
	assert_true(writer_free(writer, 0));
	close(ends[0]);
}

static void what_is_synced_is_kept(void **state)
{
	char path[] = "/tmp/writer_test.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	struct writer *writer = writer_of(fd);
	add(writer, 'a', 10);
	writer_sync(writer, 3);
	assert_int_equal(wait_until_idle(writer).kept, 3);
	add(writer, 'b', 10);
	add(writer, 'c', 0);
	assert_int_equal(wait_until_idle(writer).kept, 3);
	writer_sync(writer, 4);
	add(writer, 'd', 10);
	/* All that was added is written before it ends. */
	assert_true(writer_free(writer, 60 * NS_PER_S));
	char text[64] = "";
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 30);
	assert_string_equal(text, "aaaaaaaaaabbbbbbbbbbdddddddddd");
	close(fd);
	unlink(path);
}

static void a_failure_ends_it_and_keeps_no_more(void **state)
{
	(void)state;
	int fd = open("/dev/full", O_WRONLY);
	if (fd < 0)
		skip();
	struct writer *writer = writer_of(fd);
	add(writer, 'a', 10);
	writer_sync(writer, 1);
	struct writer_state look = wait_until_idle(writer);
	assert_true(look.is_broken);
	assert_string_equal(look.problem.text, "No space left on device");
	assert_int_equal(look.kept, 0);
	add(writer, 'b', 10);
	assert_int_equal(wait_until_idle(writer).waiting, 0);
	assert_true(writer_free(writer, 0));
}

static void the_end_of_a_disk_that_hangs_is_bounded(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	struct writer *writer = writer_of(ends[1]);
	for (unsigned i = 0; i < PIECES; i++)
		add(writer, 'x', PIECE);
	assert_false(writer_free(writer, 20 * NS_PER_MS));
	/* The thread has it for ever: so that nothing is left here, it is let go on. */
	static unsigned char data[PIECE];
	for (size_t got = 0; got < (size_t)PIECES * PIECE;)
		got += (size_t)read(ends[0], data, sizeof(data));
	assert_true(writer_free(writer, 60 * NS_PER_S));
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_a_disk_that_hangs),
		cmocka_unit_test(what_is_synced_is_kept),
		cmocka_unit_test(a_failure_ends_it_and_keeps_no_more),
		cmocka_unit_test(the_end_of_a_disk_that_hangs_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
