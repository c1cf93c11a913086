/* The engines that every system has: what is submitted comes back, stamped, with its outcome. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>

#include "agent/engine/engine.h"
#include "common/clock.h"
#include "tests/unit/loop_device.h"

#define SIZE 4096
static char buffer[SIZE], other[SIZE];
static int file = -1;

static int make_file(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/file", test_folder);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	return file < 0 ? -1 : 0;
}

static int close_file(void **state)
{
	(void)state;
	return close(file);
}

static struct engine *open_engine(const struct engine_ops *ops, uint32_t depth, bool sync_each)
{
	struct error err;
	struct engine_setup setup = {.depth = depth, .sync_each = sync_each};
	struct engine *engine = ops->open(&setup, &err);

	if (!engine)
		fail_msg("%s", err.text);
	return engine;
}

/* Submits one and has it back. */
static ssize_t perform(struct engine *engine, const struct engine_ops *ops, struct io *io)
{
	struct io *back = NULL;
	uint64_t before = clock_now_ns();

	assert_int_equal(ops->submit(engine, &io, 1), 1);
	assert_int_equal(ops->reap(engine, &back, 1, 1), 1);
	assert_ptr_equal(back, io);
	assert_true(before <= io->submitted_ns);
	assert_true(io->submitted_ns <= io->completed_ns);
	assert_true(io->completed_ns <= clock_now_ns());
	return io->result;
}

static void sync_moves_what_it_is_asked_to(void **state)
{
	(void)state;
	struct engine *engine = open_engine(&engine_sync, 1, true);
	struct iovec to[2] = {{buffer, 1000}, {buffer + 1000, SIZE - 1000}};
	struct iovec from[1] = {{other, SIZE}};
	struct io out = {IO_WRITE, file, 8192, SIZE, to, 2};
	struct io in = {IO_READ, file, 8192, SIZE, from, 1};
	for (int i = 0; i < SIZE; i++)
		buffer[i] = (char)(i * 7);
	assert_int_equal(perform(engine, &engine_sync, &out), SIZE);
	assert_int_equal(perform(engine, &engine_sync, &in), SIZE);
	assert_memory_equal(buffer, other, SIZE);
	engine_sync.close(engine);
}

static void sync_tells_short_and_failed_io(void **state)
{
	(void)state;
	struct engine *engine = open_engine(&engine_sync, 1, false);
	struct iovec vector = {buffer, SIZE};
	struct io short_io = {IO_READ, file, 0, SIZE, &vector, 1};
	struct io past_end = {IO_READ, file, 1 << 20, SIZE, &vector, 1};
	struct io failing = {IO_READ, -1, 0, SIZE, &vector, 1};
	assert_int_equal(pwrite(file, "0123456789", 10, 0), 10);
	assert_int_equal(ftruncate(file, 10), 0);
	assert_int_equal(perform(engine, &engine_sync, &short_io), 10);
	assert_int_equal(perform(engine, &engine_sync, &past_end), 0);
	assert_int_equal(perform(engine, &engine_sync, &failing), -EBADF);
	engine_sync.close(engine);
}

static void engines_give_back_all_of_a_batch(void **state)
{
	(void)state;
	static const struct engine_ops *const engines[] = {&engine_sync, &engine_null};
	enum { DEPTH = 7 };
	for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
		struct engine *engine = open_engine(engines[e], DEPTH, false);
		struct iovec vector = {buffer, SIZE};
		struct io ios[DEPTH + 1];
		struct io *batch[DEPTH + 1], *back[DEPTH + 1];
		for (int i = 0; i <= DEPTH; i++) {
			ios[i] = (struct io){IO_WRITE, file, 0, SIZE, &vector, 1};
			batch[i] = &ios[i];
		}
		for (int round = 0; round < 5; round++) {
			/* no more are taken than the depth allows */
			assert_int_equal(engines[e]->submit(engine, batch, DEPTH + 1), DEPTH);
			uint32_t got = 0;
			while (got < DEPTH)
				got += engines[e]->reap(engine, back + got, 1, 3);
			assert_int_equal(got, DEPTH);
			for (int i = 0; i < DEPTH; i++) {
				assert_int_equal(back[i]->result, SIZE);
				back[i]->result = -1;
			}
			for (int i = 0; i < DEPTH; i++)
				assert_int_equal(ios[i].result, -1);
		}
		engines[e]->close(engine);
	}
}

static void null_touches_nothing(void **state)
{
	(void)state;
	struct engine *engine = open_engine(&engine_null, 1, false);
	struct iovec vector = {NULL, SIZE};
	struct io io = {IO_WRITE, -1, 0, SIZE, &vector, 1};
	assert_int_equal(perform(engine, &engine_null, &io), SIZE);
	engine_null.close(engine);
	engine_null.close(NULL);
	engine_sync.close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sync_moves_what_it_is_asked_to, make_file,
						close_file),
		cmocka_unit_test_setup_teardown(sync_tells_short_and_failed_io, make_file,
						close_file),
		cmocka_unit_test_setup_teardown(engines_give_back_all_of_a_batch, make_file,
						close_file),
		cmocka_unit_test(null_touches_nothing),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
