/* The engines: what is submitted comes back, once, stamped, with its outcome. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

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

static struct engine *open_as(const struct engine_ops *ops, const struct engine_setup *setup)
{
	struct error err;
	struct engine *engine = ops->open(setup, &err);

	if (!engine)
		fail_msg("%s", err.text);
	if (ops->begin)
		ops->begin(engine);
	return engine;
}

static struct engine *open_engine(const struct engine_ops *ops, uint32_t depth, bool sync_each)
{
	struct engine_setup setup = {.depth = depth, .sync_each = sync_each};

	return open_as(ops, &setup);
}

/* Those that do I/O; the last ones are not everywhere. */
static const struct engine_ops *const real_engines[] = {&engine_sync, &engine_uring, &engine_aio};
#define REAL_ENGINES (sizeof(real_engines) / sizeof(real_engines[0]))

static bool is_here(const struct engine_ops *ops)
{
	struct error why;

	if (!ops->probe || !ops->probe(&why))
		return true;
	print_message("skipped: engine %s: %s\n", ops->name, why.text);
	return false;
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

static void moves_what_it_is_asked_to(const struct engine_ops *ops, bool sync_each)
{
	struct engine *engine = open_engine(ops, 1, sync_each);
	struct iovec to[2] = {{buffer, 1000}, {buffer + 1000, SIZE - 1000}};
	struct iovec from[1] = {{other, SIZE}};
	struct io out = {IO_WRITE, file, 8192, SIZE, to, 2};
	struct io in = {IO_READ, file, 8192, SIZE, from, 1};

	for (int i = 0; i < SIZE; i++)
		buffer[i] = (char)(i * 7 + sync_each);
	assert_int_equal(perform(engine, ops, &out), SIZE);
	assert_int_equal(perform(engine, ops, &in), SIZE);
	assert_memory_equal(buffer, other, SIZE);
	ops->close(engine);
}

static void engines_move_what_they_are_asked_to(void **state)
{
	(void)state;
	for (size_t e = 0; e < REAL_ENGINES; e++) {
		if (!is_here(real_engines[e]))
			continue;
		moves_what_it_is_asked_to(real_engines[e], false);
		moves_what_it_is_asked_to(real_engines[e], true);
	}
}

static void engines_tell_short_and_failed_io(void **state)
{
	(void)state;
	for (size_t e = 0; e < REAL_ENGINES; e++) {
		const struct engine_ops *ops = real_engines[e];
		if (!is_here(ops))
			continue;
		struct engine *engine = open_engine(ops, 1, true);
		struct iovec vector = {buffer, SIZE};
		struct io short_io = {IO_READ, file, 0, SIZE, &vector, 1};
		struct io past_end = {IO_READ, file, 1 << 20, SIZE, &vector, 1};
		struct io failing = {IO_READ, -1, 0, SIZE, &vector, 1};
		struct io failing_out = {IO_WRITE, -1, 0, SIZE, &vector, 1};
		assert_int_equal(pwrite(file, "0123456789", 10, 0), 10);
		assert_int_equal(ftruncate(file, 10), 0);
		assert_int_equal(perform(engine, ops, &short_io), 10);
		assert_int_equal(perform(engine, ops, &past_end), 0);
		assert_int_equal(perform(engine, ops, &failing), -EBADF);
		assert_int_equal(perform(engine, ops, &failing_out), -EBADF);
		ops->close(engine);
	}
}

/* What can be written and not synced: the write's outcome is the sync's. */
static void a_sync_that_fails_fails_the_write(void **state)
{
	(void)state;
	for (size_t e = 0; e < REAL_ENGINES; e++) {
		const struct engine_ops *ops = real_engines[e];
		int ends[2];
		if (!is_here(ops))
			continue;
		assert_int_equal(pipe(ends), 0);
		struct engine *engine = open_engine(ops, 1, true);
		struct iovec vector = {buffer, SIZE};
		struct io io = {IO_WRITE, ends[1], 0, SIZE, &vector, 1};
		ssize_t result = perform(engine, ops, &io);
		assert_true(result == -EINVAL || result == -ESPIPE);
		ops->close(engine);
		close(ends[0]);
		close(ends[1]);
	}
}

static void engines_give_back_all_of_a_batch(void **state)
{
	(void)state;
	static const struct engine_ops *const engines[] = {&engine_sync, &engine_null,
							   &engine_uring, &engine_aio};
	enum { DEPTH = 7 };
	for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
		if (!is_here(engines[e]))
			continue;
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
				got += engines[e]->reap(engine, back + got, 1,
							DEPTH - got < 3 ? DEPTH - got : 3);
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

/* What was waited for is there for the reap, one by one, and once. */
static void waiting_ends_with_a_completion_or_when_it_should(void **state)
{
	(void)state;
	for (size_t e = 0; e < REAL_ENGINES; e++) {
		const struct engine_ops *ops = real_engines[e];
		if (!ops->wait || !is_here(ops))
			continue;
		struct engine *engine = open_engine(ops, 4, false);
		struct iovec vector = {buffer, SIZE};
		struct io ios[3], *batch[3], *back[3];
		for (int i = 0; i < 3; i++) {
			ios[i] = (struct io){IO_WRITE, file, (uint64_t)i * SIZE, SIZE, &vector, 1};
			batch[i] = &ios[i];
		}
		ops->wait(engine, 0); /* with nothing in flight */
		for (int round = 0; round < 20; round++) {
			uint32_t got = 0;
			assert_int_equal(ops->submit(engine, batch, 3), 3);
			while (got < 3) {
				ops->wait(engine, clock_now_ns() + NS_PER_S);
				got += ops->reap(engine, back + got, 0, 1);
			}
			assert_int_equal(ops->reap(engine, back, 0, 3), 0);
			for (int i = 0; i < 3; i++)
				assert_int_equal(ios[i].result, SIZE);
		}
		ops->close(engine);
	}
}

/* ---- a ring with all that can be registered ---- */

#define DEEP   64
#define BLOCKS 512
static char blocks[DEEP][SIZE];
static struct iovec block_buffers[DEEP];
static struct iovec block_vectors[DEEP][2];
static struct io block_ios[DEEP];
static const struct engine_ops *ring_ops;
static struct engine *ring;

/* A second file descriptor stands first, so that an index that is wrong is seen. */
static struct engine *open_ring(int files[2], bool sync_each)
{
	struct engine_setup setup = {.depth = DEEP,
				     .buffers = block_buffers,
				     .buffers_count = DEEP,
				     .fds = files,
				     .fds_count = 2,
				     .sync_each = sync_each};

	for (uint32_t i = 0; i < DEEP; i++)
		block_buffers[i] = (struct iovec){blocks[i], SIZE};
	files[0] = open("/dev/null", O_RDWR);
	files[1] = file;
	assert_true(files[0] >= 0);
	return open_as(ring_ops, &setup);
}

static void aim(uint32_t slot, enum io_kind kind, uint32_t block)
{
	uint32_t cut = block % 3 ? SIZE : 512; /* each third in two pieces */

	block_vectors[slot][0] = (struct iovec){blocks[slot], cut};
	block_vectors[slot][1] = (struct iovec){blocks[slot] + cut, SIZE - cut};
	block_ios[slot] = (struct io){.kind = kind,
				      .fd = file,
				      .offset = (uint64_t)block * SIZE,
				      .length = SIZE,
				      .vector = block_vectors[slot],
				      .vector_count = cut == SIZE ? 1 : 2,
				      .file = 1,
				      .buffer = slot};
	if (kind == IO_WRITE)
		memset(blocks[slot], (int)(block * 5 % 251), SIZE);
	else
		memset(blocks[slot], 0xff, SIZE);
}

static void check_back(const struct io *io)
{
	uint64_t block = io->offset / SIZE;

	assert_int_equal(io->result, SIZE);
	assert_true(io->submitted_ns && io->submitted_ns <= io->completed_ns);
	for (int i = 0; i < SIZE; i++)
		assert_int_equal((unsigned char)blocks[io->buffer][i], block * 5 % 251);
}

/* Every block once, as a worker does it: a slot that is back goes out again. */
static void move_all(enum io_kind kind)
{
	bool seen[BLOCKS] = {false};
	struct io *batch[DEEP], *back[DEEP];
	uint32_t next = 0, ready = DEEP, done = 0;

	for (uint32_t i = 0; i < DEEP; i++)
		back[i] = &block_ios[i];
	while (done < BLOCKS) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < ready && next < BLOCKS; i++) {
			aim((uint32_t)(back[i] - block_ios), kind, next++ * 77 % BLOCKS);
			batch[count++] = back[i];
		}
		assert_int_equal(ring_ops->submit(ring, batch, count), count);
		ready = ring_ops->reap(ring, back, 1, DEEP);
		assert_true(ready >= 1);
		for (uint32_t i = 0; i < ready; i++) {
			check_back(back[i]);
			assert_false(seen[back[i]->offset / SIZE]);
			seen[back[i]->offset / SIZE] = true;
		}
		done += ready;
	}
}

static void moves_each_block_once(bool sync_each)
{
	int files[2];

	assert_int_equal(ftruncate(file, 0), 0);
	ring = open_ring(files, sync_each);
	if (ring_ops->note && ring_ops->note(ring))
		print_message("%s\n", ring_ops->note(ring));
	move_all(IO_WRITE);
	move_all(IO_READ);
	ring_ops->close(ring);
	close(files[0]);
}

static void a_deep_ring_moves_each_block_once_and_to_its_place(void **state)
{
	(void)state;
	static const struct engine_ops *const rings[] = {&engine_uring, &engine_aio};
	for (size_t e = 0; e < 2; e++) {
		if (!is_here(rings[e]))
			continue;
		ring_ops = rings[e];
		moves_each_block_once(false);
		moves_each_block_once(true);
	}
}

static void *write_and_read(void *context)
{
	engine_uring.begin(context);
	move_all(IO_WRITE);
	move_all(IO_READ);
	return NULL;
}

/* As a worker's is: opened and closed by others. */
static void a_ring_is_opened_by_one_thread_and_used_by_another(void **state)
{
	(void)state;
	struct error err;
	pthread_t thread;
	struct engine_setup setup = {.depth = DEEP, .fds = (int[]){file, file}, .fds_count = 2};
	if (!is_here(&engine_uring))
		skip();
	ring_ops = &engine_uring;
	ring = engine_uring.open(&setup, &err);
	assert_non_null(ring);
	assert_int_equal(pthread_create(&thread, NULL, write_and_read, ring), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	engine_uring.close(ring);
}

static void *begin_and_end(void *context)
{
	engine_uring.begin(context);
	engine_uring.end(context);
	return NULL;
}

/* The last close of a file is the worker's, not the kernel's when it comes to it: a pipe ends. */
static void a_ring_that_has_ended_holds_no_file(void **state)
{
	(void)state;
	struct error err;
	pthread_t thread;
	if (!is_here(&engine_uring))
		skip();
	for (int has_begun = 0; has_begun < 2; has_begun++) {
		int ends[2];
		char byte;
		assert_int_equal(pipe(ends), 0);
		struct engine_setup setup = {.depth = DEEP, .fds = &ends[1], .fds_count = 1};
		ring = engine_uring.open(&setup, &err);
		assert_non_null(ring);
		assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
		if (has_begun) {
			assert_int_equal(pthread_create(&thread, NULL, begin_and_end, ring), 0);
			assert_int_equal(pthread_join(thread, NULL), 0);
		} else {
			engine_uring.close(ring);
		}
		close(ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 0);
		close(ends[0]);
		if (has_begun)
			engine_uring.close(ring);
	}
}

/* What cannot be registered is said, and I/O goes without. */
static void what_is_not_registered_is_noted_and_goes_without(void **state)
{
	(void)state;
	struct iovec nowhere = {NULL, SIZE};
	int no_file = 1 << 20;
	struct engine_setup setup = {.depth = DEEP,
				     .buffers = &nowhere,
				     .buffers_count = 1,
				     .fds = &no_file,
				     .fds_count = 1};
	if (!is_here(&engine_uring))
		skip();
	ring_ops = &engine_uring;
	ring = open_as(ring_ops, &setup);
	assert_non_null(engine_uring.note(ring));
	assert_non_null(strstr(engine_uring.note(ring), "I/O buffers are not registered"));
	assert_non_null(strstr(engine_uring.note(ring), "files are not registered"));
	move_all(IO_WRITE);
	move_all(IO_READ);
	engine_uring.close(ring);
}

/* More in flight than the system has left: refused with the knob that says how many. */
static void a_native_queue_that_the_system_has_no_room_for_is_refused(void **state)
{
	(void)state;
	struct engine_setup setup = {.depth = 1U << 20};
	struct error err;
	if (!is_here(&engine_aio))
		skip();
	assert_null(engine_aio.open(&setup, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "fs.aio-max-nr"));
}

/* A file that is not open for direct I/O is never polled for. */
static void polling_that_is_not_possible_is_refused(void **state)
{
	(void)state;
	struct iovec whole = {buffer, SIZE};
	struct engine_setup setup = {.depth = 1,
				     .buffers = &whole,
				     .buffers_count = 1,
				     .fds = &file,
				     .fds_count = 1,
				     .polls = true};
	struct error err;
	if (!is_here(&engine_uring))
		skip();
	assert_null(engine_uring.open(&setup, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "iopoll is not possible"));
	assert_non_null(strstr(err.text, "leave iopoll out"));
}

static void a_ring_that_cannot_be_so_deep_is_refused(void **state)
{
	(void)state;
	struct engine_setup setup = {.depth = 32769};
	struct error err;
	assert_null(engine_uring.open(&setup, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	if (is_here(&engine_uring))
		assert_non_null(strstr(err.text, "lower queue_depth"));
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

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, make_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILE(engines_move_what_they_are_asked_to),
		WITH_FILE(engines_tell_short_and_failed_io),
		WITH_FILE(a_sync_that_fails_fails_the_write),
		WITH_FILE(engines_give_back_all_of_a_batch),
		WITH_FILE(waiting_ends_with_a_completion_or_when_it_should),
		WITH_FILE(a_deep_ring_moves_each_block_once_and_to_its_place),
		WITH_FILE(a_ring_is_opened_by_one_thread_and_used_by_another),
		cmocka_unit_test(a_ring_that_has_ended_holds_no_file),
		WITH_FILE(what_is_not_registered_is_noted_and_goes_without),
		cmocka_unit_test(a_native_queue_that_the_system_has_no_room_for_is_refused),
		WITH_FILE(polling_that_is_not_possible_is_refused),
		cmocka_unit_test(a_ring_that_cannot_be_so_deep_is_refused),
		cmocka_unit_test(null_touches_nothing),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
