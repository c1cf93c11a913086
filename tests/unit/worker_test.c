/* The load of one worker: on the null engine, on one of this file that fails as told, and on the
 * engines that do I/O. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/worker.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "common/random.h"

static const struct pattern_shape plain;

#define BLOCK 4096

/* ---- an engine that does as told, and remembers ---- */

#define LOG_MOST 4096
static struct {
	uint64_t offset;
	enum io_kind kind;
	uint64_t submitted_ns;
} log_of[LOG_MOST];
static uint32_t logged;
/* Result of the how many-th I/O; all right unless set. */
static ssize_t (*result_of)(uint32_t number, const struct io *io);
static uint64_t (*clock_of)(void);

struct engine {
	struct io *held[256];
	uint32_t count;
};

static struct engine *told_open(const struct engine_setup *setup, struct error *err)
{
	(void)setup;
	(void)err;
	logged = 0;
	return mem_new(1, sizeof(struct engine));
}

static uint32_t told_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct io *io = ios[i];
		io->submitted_ns = clock_of();
		io->result = result_of ? result_of(logged, io) : (ssize_t)io->length;
		log_of[logged % LOG_MOST].offset = io->offset;
		log_of[logged % LOG_MOST].kind = io->kind;
		log_of[logged % LOG_MOST].submitted_ns = io->submitted_ns;
		logged++;
		engine->held[engine->count++] = io;
	}
	return count;
}

/* The last one first: engines may answer in any order. */
static uint32_t told_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			  uint32_t at_most)
{
	uint32_t count = 0;

	(void)at_most;
	while (count < at_least && engine->count) {
		struct io *io = engine->held[--engine->count];
		io->completed_ns = clock_of();
		ios[count++] = io;
	}
	return count;
}

static void told_close(struct engine *engine)
{
	free(engine);
}

static const struct engine_ops engine_told = {.name = "told",
					      .open = told_open,
					      .submit = told_submit,
					      .reap = told_reap,
					      .close = told_close};

/* ---- a target of nothing ---- */

static struct target target_row = {.name = "t", .null = true};
static struct part part_rows[2] = {
	{.target = &target_row, .kind = PART_NULL, .fd = -1, .storage.memory_alignment_bytes = 1},
	{.target = &target_row, .kind = PART_NULL, .fd = -1, .storage.memory_alignment_bytes = 1}};
static struct part *parts[2] = {&part_rows[0], &part_rows[1]};
static atomic_bool stop;

static struct phase make_phase(enum phase_op op, uint64_t blocks)
{
	return (struct phase){.name = "p",
			      .op = op,
			      .block_size = BLOCK,
			      .workers = 1,
			      .queue_depth = 1,
			      .read_percent = 50,
			      .size_bytes = blocks * BLOCK};
}

static struct load_target make_target(const struct engine_ops *engine, uint64_t blocks,
				      uint32_t parts_count)
{
	return (struct load_target){.target = &target_row,
				    .parts = parts,
				    .parts_count = parts_count,
				    .stripe = {.unit = BLOCK / 4, .parts = parts_count},
				    .engine = engine,
				    .used_bytes = blocks * BLOCK};
}

#define BUCKET_NS (10 * NS_PER_MS)
static struct clock_map map;

/* As a crew does it, with a start that is now. */
static void run(struct worker *worker, uint64_t bucket_ns)
{
	const struct phase *phase = worker->setup.phase;
	struct start start = {.at_ns = clock_now_ns()};

	if (phase->runtime)
		start.end_ns =
			start.at_ns + worker->setup.ramp_buckets * bucket_ns + phase->runtime;
	clock_map_release(&map);
	clock_map_init(&map, bucket_ns);
	assert_true(clock_map_begin(&map, &start));
	worker_ready(worker);
	worker_start(worker, &map);
	worker_run(worker);
}

static struct worker *new_worker(const struct phase *phase, const struct load_target *target,
				 uint32_t ramp_buckets)
{
	struct worker_setup setup = {.phase = phase,
				     .target = target,
				     .host = "h",
				     .seed = 1,
				     .bucket_ns = BUCKET_NS,
				     .ramp_buckets = ramp_buckets,
				     .stop = &stop};
	struct error err;
	struct worker *worker = worker_new(&setup, &err);

	if (!worker)
		fail_msg("%s", err.text);
	return worker;
}

static struct worker *run_worker(const struct phase *phase, const struct load_target *target,
				 uint32_t ramp_buckets)
{
	struct worker *worker = new_worker(phase, target, ramp_buckets);

	run(worker, BUCKET_NS);
	return worker;
}

static struct tally timeline_of(struct worker *worker)
{
	struct timeline timeline = {0};
	struct tally sum = {0};

	buckets_collect(&worker->buckets, 0, &timeline, 0);
	for (uint32_t i = 0; i < timeline.buckets_count; i++) {
		sum.bytes_read += timeline.buckets[i].bytes_read;
		sum.bytes_written += timeline.buckets[i].bytes_written;
		sum.operations += timeline.buckets[i].operations;
		sum.errors += timeline.buckets[i].errors;
	}
	free(timeline.buckets);
	return sum;
}

static int reset(void **state)
{
	(void)state;
	result_of = NULL;
	clock_of = clock_now_ns;
	atomic_store(&stop, false);
	return 0;
}

/* ---- tests ---- */

static void an_amount_is_moved_exactly(void **state)
{
	(void)state;
	static const uint32_t depths[] = {1, 4, 64};
	for (size_t i = 0; i < 3; i++) {
		struct phase phase = make_phase(PHASE_OP_READ, 1000);
		struct load_target target = make_target(&engine_null, 100, 1);
		phase.queue_depth = depths[i];
		struct worker *worker = run_worker(&phase, &target, 0);
		struct tally timeline = timeline_of(worker);
		assert_int_equal(worker->after.bytes_read, 1000 * BLOCK);
		assert_int_equal(worker->after.operations, 1000);
		assert_int_equal(worker->latency.total, 1000);
		assert_int_equal(worker_passes(worker), 10);
		assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
		assert_true(worker->first_submit_ns &&
			    worker->first_submit_ns <= worker->last_completion_ns);
		assert_int_equal(atomic_load(&worker->outstanding.waiting_since_ns), 0);
		worker_free(worker);
	}
}

static void blocks_go_out_in_order_and_once(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 50);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.queue_depth = 8;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(logged, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(log_of[i].offset, i * BLOCK);
	assert_int_equal(worker_written_blocks(worker), 50);
	worker_free(worker);
}

/* The engine of this file gives back the youngest first: without care the oldest would be out for
 * ever. */
static struct worker *watched;
static ssize_t watch_passes(uint32_t number, const struct io *io)
{
	for (uint32_t i = 0; i < watched->depth; i++)
		if (watched->requests[i].pending)
			assert_int_equal(watched->requests[i].number / 10, number / 10);
	return (ssize_t)io->length;
}

static void a_pass_that_writes_waits_for_the_one_before(void **state)
{
	(void)state;
	static const enum phase_op ops[] = {PHASE_OP_WRITE, PHASE_OP_MIXED};
	for (size_t i = 0; i < 2; i++) {
		struct phase phase = make_phase(ops[i], 100);
		struct load_target target = make_target(&engine_told, 10, 1);
		phase.queue_depth = 4;
		result_of = watch_passes;
		watched = new_worker(&phase, &target, 0);
		run(watched, BUCKET_NS);
		assert_int_equal(logged, 100);
		worker_free(watched);
	}
}

static ssize_t outlast_in_the_sixth(uint32_t number, const struct io *io)
{
	if (number == 5)
		clock_sleep_until(clock_map_end(&map));
	return (ssize_t)io->length;
}

/* The sixth is under way when the time is over: it is drained and booked, and is the last. */
static void a_runtime_ends_the_submits(void **state)
{
	(void)state;
	static const enum phase_op ops[] = {PHASE_OP_READ, PHASE_OP_WRITE, PHASE_OP_MIXED};
	for (size_t i = 0; i < 3; i++) {
		struct phase phase = make_phase(ops[i], 0);
		struct load_target target = make_target(&engine_told, 50, 1);
		phase.runtime = NS_PER_S; /* longer than it takes any machine to do five */
		result_of = outlast_in_the_sixth;
		struct worker *worker = run_worker(&phase, &target, 2);
		struct tally timeline = timeline_of(worker);
		assert_int_equal(logged, 6);
		assert_int_equal(worker->ramp.operations + worker->after.operations, 6);
		assert_true(worker->after.operations > 0);
		assert_int_equal(worker->latency.total, worker->after.operations);
		assert_int_equal(timeline.operations, 6);
		worker_free(worker);
	}
}

/* Whether an operation is of the ramp is decided by its bucket, so both sums agree. */
static void the_ramp_is_whole_buckets(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 0);
	struct load_target target = make_target(&engine_null, 50, 1);
	struct timeline timeline = {0};
	phase.runtime = 40 * NS_PER_MS;
	struct worker *worker = run_worker(&phase, &target, 3);
	buckets_collect(&worker->buckets, 0, &timeline, 0);
	uint64_t after = 0;
	for (uint32_t i = 0; i < timeline.buckets_count; i++)
		if (timeline.buckets[i].bucket >= 3)
			after += timeline.buckets[i].bytes_read;
	assert_int_equal(after, worker->after.bytes_read);
	free(timeline.buckets);
	worker_free(worker);
}

static ssize_t stop_at_ten(uint32_t number, const struct io *io)
{
	if (number == 9)
		atomic_store(&stop, true);
	return (ssize_t)io->length;
}

static void a_stop_drains_and_books(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 1000);
	struct load_target target = make_target(&engine_told, 1000, 1);
	phase.queue_depth = 4;
	result_of = stop_at_ten;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_true(logged >= 10 && logged <= 14);
	assert_int_equal(worker->after.operations, logged);
	assert_int_equal(worker_written_blocks(worker), logged);
	assert_int_equal(worker->end, WORKER_END_DONE);
	worker_free(worker);
}

static ssize_t always_fail(uint32_t number, const struct io *io)
{
	(void)number;
	(void)io;
	return -EIO;
}

static void a_worker_gives_up_after_a_hundred_errors_in_a_row(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 1000);
	struct load_target target = make_target(&engine_told, 1000, 1);
	result_of = always_fail;
	struct worker *worker = run_worker(&phase, &target, 0);
	struct tally timeline = timeline_of(worker);
	assert_int_equal(worker->end, WORKER_END_GAVE_UP);
	assert_int_equal(worker->after.errors, WORKER_ERRORS_IN_A_ROW);
	assert_int_equal(worker->after.operations, 0);
	assert_int_equal(worker->latency.total, 0);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	assert_int_equal(worker->error.number, EIO);
	assert_int_equal(worker->error.offset, 0);
	assert_false(atomic_load(&stop));
	worker_free(worker);
}

static ssize_t fail_each_second(uint32_t number, const struct io *io)
{
	return number % 2 ? (ssize_t)io->length : -EIO;
}

static void errors_between_successes_do_not_end_it(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 1000);
	struct load_target target = make_target(&engine_told, 1000, 1);
	result_of = fail_each_second;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(worker->end, WORKER_END_DONE);
	assert_int_equal(worker->after.errors, 500);
	assert_int_equal(worker->after.operations, 500);
	worker_free(worker);
}

static ssize_t short_at_three(uint32_t number, const struct io *io)
{
	return number == 3 ? 512 : (ssize_t)io->length;
}

static void a_short_write_counts_what_it_moved_and_as_an_error(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 10);
	struct load_target target = make_target(&engine_told, 10, 1);
	result_of = short_at_three;
	struct worker *worker = run_worker(&phase, &target, 0);
	struct tally timeline = timeline_of(worker);
	assert_int_equal(worker->after.bytes_written, 9 * BLOCK + 512);
	assert_int_equal(worker->after.operations, 10);
	assert_int_equal(worker->after.errors, 1);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	assert_int_equal(worker->error.number, 0);
	assert_int_equal(worker->error.offset, 3 * BLOCK);
	assert_int_equal(worker->error.moved_bytes, 512);
	/* only what is before it is surely written */
	assert_int_equal(worker_written_blocks(worker), 3);
	worker_free(worker);
}

static ssize_t short_or_nothing(uint32_t number, const struct io *io)
{
	static const ssize_t results[] = {BLOCK, 0, 512, -EIO, BLOCK - 1, -ENODEV};

	return number < 6 ? results[number] : (ssize_t)io->length;
}

/* What was not moved is not counted, whatever an engine answers; nor is it verified. */
static void short_reads_count_what_they_moved_by_kind(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 10);
	struct load_target target = make_target(&engine_told, 10, 1);
	result_of = short_or_nothing;
	struct worker *worker = run_worker(&phase, &target, 0);
	struct tally timeline = timeline_of(worker);
	assert_int_equal(worker->after.bytes_read, 5 * BLOCK + 512 + BLOCK - 1);
	assert_int_equal(worker->after.operations, 7);
	assert_int_equal(worker->after.errors, 5);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	const struct failures *kinds = &worker->failures;
	assert_int_equal(kinds->count, 3);
	assert_int_equal(kinds->all[0].number, 0);
	assert_int_equal(kinds->all[0].count, 3);
	assert_int_equal(kinds->all[0].first_offset, BLOCK);
	assert_int_equal(kinds->all[1].number, EIO);
	assert_int_equal(kinds->all[1].first_offset, 3 * BLOCK);
	assert_int_equal(kinds->all[2].number, ENODEV);
	assert_int_equal(kinds->all[2].count, 1);
	worker_free(worker);
}

static ssize_t full_at_seven(uint32_t number, const struct io *io)
{
	return number >= 7 ? -ENOSPC : (ssize_t)io->length;
}

static void a_full_disk_stops_all_at_once(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 1000);
	struct load_target target = make_target(&engine_told, 1000, 1);
	result_of = full_at_seven;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(worker->end, WORKER_END_NO_SPACE);
	assert_true(atomic_load(&stop));
	assert_int_equal(logged, 8);
	assert_int_equal(worker_written_blocks(worker), 7);
	worker_free(worker);
}

/* A request over two parts is two I/Os and one operation. */
static void a_striped_request_is_complete_when_its_parts_are(void **state)
{
	(void)state;
	static const uint32_t depths[] = {1, 5};
	for (size_t i = 0; i < 2; i++) {
		struct phase phase = make_phase(PHASE_OP_READ, 100);
		struct load_target target = make_target(&engine_told, 100, 2);
		phase.queue_depth = depths[i];
		struct worker *worker = run_worker(&phase, &target, 0);
		assert_int_equal(logged, 200);
		assert_int_equal(worker->after.operations, 100);
		assert_int_equal(worker->after.bytes_read, 100 * BLOCK);
		worker_free(worker);
	}
}

static ssize_t second_part_fails(uint32_t number, const struct io *io)
{
	return number % 2 ? -EIO : (ssize_t)io->length;
}

static void half_a_striped_request_is_an_error_with_bytes(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 10);
	struct load_target target = make_target(&engine_told, 10, 2);
	result_of = second_part_fails;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(worker->after.errors, 10);
	assert_int_equal(worker->after.bytes_read, 10 * BLOCK / 2);
	assert_int_equal(worker->error.part, 1);
	worker_free(worker);
}

/* Data of the worker's own file, as pattern.h makes it, new in each pass. */
static char first_pass[BLOCK], second_pass[BLOCK];
static ssize_t keep_block_zero(uint32_t number, const struct io *io)
{
	if (number == 0)
		memcpy(first_pass, io->vector->iov_base, BLOCK);
	if (number == 4)
		memcpy(second_pass, io->vector->iov_base, BLOCK);
	return (ssize_t)io->length;
}

static void what_is_written_is_the_pattern_of_its_place_and_pass(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 8);
	struct load_target target = make_target(&engine_told, 4, 1);
	result_of = keep_block_zero;
	worker_free(run_worker(&phase, &target, 0));
	assert_int_equal(pattern_check(first_pass, BLOCK,
				       pattern_key(1, pattern_owner("h", "t"), 0, plain), 0),
			 BLOCK);
	assert_int_equal(pattern_check(second_pass, BLOCK,
				       pattern_key(1, pattern_owner("h", "t"), 1, plain), 0),
			 BLOCK);
}

static ssize_t slow(uint32_t number, const struct io *io)
{
	(void)number;
	clock_sleep(NS_PER_MS);
	return (ssize_t)io->length;
}

/* Nobody collects, and buckets are as short as can be: 60,000 of 1 ms would take a minute, so the
 * limit is lowered by hand. */
static void a_timeline_that_nobody_collects_ends_the_worker(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 0);
	struct load_target target = make_target(&engine_told, 10, 1);
	struct worker_setup setup = {.phase = &phase,
				     .target = &target,
				     .host = "h",
				     .bucket_ns = NS_PER_MS,
				     .stop = &stop};
	struct error err;
	phase.runtime = 3600 * NS_PER_S;
	result_of = slow;
	struct worker *worker = worker_new(&setup, &err);
	assert_non_null(worker);
	worker->buckets.limit = 5;
	run(worker, NS_PER_MS);
	assert_int_equal(worker->end, WORKER_END_OVERRUN);
	struct tally timeline = timeline_of(worker);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	worker_free(worker);
}

/* ---- real files ---- */

static int open_file(void)
{
	char path[] = "/var/tmp/muster-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static void on_files(const struct engine_ops *engine, uint32_t depth, enum phase_op op)
{
	struct phase phase = make_phase(op, 100);
	struct load_target target = make_target(engine, 100, 2);

	phase.queue_depth = depth;
	struct worker *worker = run_worker(&phase, &target, 0);
	struct tally timeline = timeline_of(worker);
	uint64_t moved = worker->after.bytes_read + worker->after.bytes_written;
	if (worker->after.errors || moved != 100 * BLOCK)
		fail_msg("%s: %llu bytes and errno %d", engine->name, (unsigned long long)moved,
			 worker->error.number);
	assert_int_equal(worker->latency.total, 100);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	assert_int_equal(atomic_load(&worker->outstanding.waiting_since_ns), 0);
	worker_free(worker);
}

static void engines_move_all_of_a_stripe_over_files(void **state)
{
	(void)state;
	struct error why;
	for (int i = 0; i < 2; i++)
		part_rows[i].fd = open_file();
	on_files(&engine_sync, 1, PHASE_OP_WRITE);
	on_files(&engine_sync, 1, PHASE_OP_READ);
	if (engine_uring.probe(&why)) {
		print_message("skipped: engine uring: %s\n", why.text);
	} else {
		for (uint32_t depth = 1; depth <= 64; depth *= 8) {
			on_files(&engine_uring, depth, PHASE_OP_WRITE);
			on_files(&engine_uring, depth, PHASE_OP_READ);
			on_files(&engine_uring, depth, PHASE_OP_MIXED);
		}
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(lseek(part_rows[i].fd, 0, SEEK_END), 50 * BLOCK);
		close(part_rows[i].fd);
		part_rows[i].fd = -1;
	}
}

/* ---- the start, and the clock ---- */

static void set_map(uint64_t at_ns, uint64_t end_ns)
{
	clock_map_release(&map);
	clock_map_init(&map, BUCKET_NS);
	assert_true(clock_map_begin(&map, &(struct start){.at_ns = at_ns, .end_ns = end_ns}));
}

static void the_first_requests_are_filled_before_and_submitted_at_the_start(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 50);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.queue_depth = 4;
	struct worker *worker = new_worker(&phase, &target, 0);
	worker_ready(worker);
	assert_int_equal(logged, 0);
	assert_int_equal(pattern_check(worker->requests[3].buffer, BLOCK,
				       pattern_key(1, pattern_owner("h", "t"), 0, plain), 0),
			 BLOCK);
	uint64_t before = clock_now_ns();
	set_map(before, 0);
	worker_start(worker, &map);
	assert_int_equal(logged, 4);
	worker_run(worker);
	assert_int_equal(logged, 50);
	assert_true(worker->first_submit_ns >= before);
	assert_int_equal(worker->first_submit_ns, log_of[0].submitted_ns);
	worker_free(worker);
}

static void without_a_start_nothing_was_written(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 50);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.queue_depth = 4;
	struct worker *worker = new_worker(&phase, &target, 0);
	worker_ready(worker);
	worker_cancel(worker);
	assert_int_equal(worker_written_blocks(worker), 0);
	assert_int_equal(worker->submitted, 0);
	assert_int_equal(worker->first_submit_ns, 0);
	worker_free(worker);
}

static void who_wakes_after_the_end_submits_nothing(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 50);
	struct load_target target = make_target(&engine_told, 50, 1);
	struct worker *worker = new_worker(&phase, &target, 0);
	worker_ready(worker);
	set_map(clock_now_ns() - NS_PER_S, clock_now_ns());
	worker_start(worker, &map);
	worker_run(worker);
	assert_int_equal(logged, 0);
	assert_int_equal(worker_written_blocks(worker), 0);
	assert_int_equal(timeline_of(worker).operations, 0);
	worker_free(worker);
}

/* At the third operation the end comes nearer; it is seen once another bucket is turned to, which
 * each second operation does. */
static uint64_t sooner_ns;
static ssize_t amend_at_the_third(uint32_t number, const struct io *io)
{
	uint64_t now = clock_now_ns(), start = clock_map_start(&map);
	uint32_t bucket = (uint32_t)((now - start) / BUCKET_NS) + 3;
	struct amend amend = {
		.bucket = bucket, .at_ns = start + bucket * BUCKET_NS, .end_ns = sooner_ns};

	if (number == 2)
		assert_true(clock_map_amend(&map, &amend, now));
	if (number == 8)
		atomic_store(&stop, true);
	clock_sleep_until(now + BUCKET_NS / 2);
	return (ssize_t)io->length;
}

static void an_end_that_moves_moves_for_who_is_under_way(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 0);
	struct load_target target = make_target(&engine_told, 50, 1);
	struct worker *worker = new_worker(&phase, &target, 0);
	uint64_t end = clock_now_ns() + 3600 * NS_PER_S;
	sooner_ns = end - BUCKET_NS / 5;
	worker_ready(worker);
	set_map(clock_now_ns(), end);
	worker_start(worker, &map);
	assert_int_equal(worker->end_ns, end);
	result_of = amend_at_the_third;
	worker_run(worker);
	assert_int_equal(worker->end_ns, sooner_ns);
	worker_free(worker);
}

/* Forth by up to 4 buckets, back by up to 3: on the whole it goes on. */
static struct random jumps;
static uint64_t jumping_ns;
static uint64_t jumping_clock(void)
{
	jumping_ns += random_below(&jumps, 4 * BUCKET_NS);
	jumping_ns -= random_below(&jumps, 3 * BUCKET_NS);
	return jumping_ns;
}

static void a_clock_that_jumps_loses_and_doubles_nothing(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_MIXED, 500);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.queue_depth = 8;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct worker *worker = new_worker(&phase, &target, 60);
		struct timeline timeline = {0};
		struct tally ramp = {0}, after = {0};
		worker_ready(worker);
		set_map(clock_now_ns(), 0);
		jumps.state = seed;
		jumping_ns = clock_map_start(&map);
		clock_of = jumping_clock;
		worker_start(worker, &map);
		worker_run(worker);
		buckets_collect(&worker->buckets, 0, &timeline, 0);
		for (uint32_t i = 0; i < timeline.buckets_count; i++) {
			const struct timeline_bucket *b = &timeline.buckets[i];
			struct tally *sum = b->bucket < 60 ? &ramp : &after;
			sum->bytes_read += b->bytes_read;
			sum->bytes_written += b->bytes_written;
			sum->operations += b->operations;
			assert_true(b->worst_ns < 1000 * BUCKET_NS); /* not less than nothing */
		}
		assert_memory_equal(&ramp, &worker->ramp, sizeof(ramp));
		assert_memory_equal(&after, &worker->after, sizeof(after));
		assert_true(ramp.operations > 0 && after.operations > 0);
		assert_int_equal(ramp.operations + after.operations, 500);
		free(timeline.buckets);
		worker_free(worker);
	}
}

static void a_mix_is_counted_by_size(void **state)
{
	(void)state;
	static struct block_share mix[] = {{BLOCK, 70}, {4 * BLOCK, 30}};
	for (uint32_t parts_count = 1; parts_count <= 2; parts_count++) {
		struct phase phase = make_phase(PHASE_OP_MIXED, 4000);
		struct load_target target = make_target(&engine_null, 400, parts_count);
		struct tally sum = {0};
		phase.access = PHASE_ACCESS_RANDOM;
		phase.block_size = 4 * BLOCK;
		phase.block_mix = mix;
		phase.block_mix_count = 2;
		phase.queue_depth = 4;
		struct worker *worker = run_worker(&phase, &target, 0);
		for (int i = 0; i < 2; i++) {
			const struct tally *one = &worker->sizes[i];
			assert_true(one->operations > 100);
			assert_int_equal(one->bytes_read + one->bytes_written,
					 one->operations * mix[i].size);
			sum.operations += one->operations;
			sum.bytes_read += one->bytes_read;
			sum.bytes_written += one->bytes_written;
		}
		assert_memory_equal(&sum, &worker->after, sizeof(sum));
		assert_int_equal(worker->after.errors, 0);
		worker_free(worker);
	}
}

/* Whatever the engine's depth, none goes out before it is due. */
static void a_rate_holds_submits_back(void **state)
{
	(void)state;
	static const uint32_t depths[] = {1, 8};
	for (size_t i = 0; i < 2; i++) {
		struct phase phase = make_phase(PHASE_OP_WRITE, 50);
		struct load_target target = make_target(&engine_told, 50, 1);
		phase.queue_depth = depths[i];
		phase.rate_operations = 1000;
		struct worker *worker = run_worker(&phase, &target, 0);
		assert_int_equal(logged, 50);
		uint64_t start_ns = clock_map_start(&map);
		for (uint32_t k = 0; k < 50; k++) {
			assert_int_equal(log_of[k].offset, k * BLOCK);
			assert_true(log_of[k].submitted_ns + 50 >= start_ns + k * NS_PER_MS);
		}
		assert_int_equal(worker->response->total, worker->after.operations);
		assert_true(worker->response->max >= worker->latency.max);
		worker_free(worker);
	}
}

static ssize_t stall_in_the_third(uint32_t number, const struct io *io)
{
	if (number == 2)
		clock_sleep(60 * NS_PER_MS);
	return (ssize_t)io->length;
}

/* The stall is one slow I/O from submit to completion, but kept 60 others waiting: half of all
 * 100 were due at least 10 ms before they were done. */
static void a_stall_counts_in_the_response_of_all_that_were_due(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 100);
	struct load_target target = make_target(&engine_told, 100, 1);
	phase.rate_operations = 1000;
	result_of = stall_in_the_third;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(worker->response->total, 100);
	assert_true(histogram_percentile(worker->response, 50) >= 10 * NS_PER_MS);
	assert_true(worker->latency.max >= 60 * NS_PER_MS);
	worker_free(worker);
}

/* What was made ready and is not due before the end never was. */
static void who_waits_for_the_next_ends_with_the_phase(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 0);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.runtime = 900 * NS_PER_MS; /* its turn comes again after a second */
	phase.rate_operations = 1;
	phase.workers = 60;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(logged, 1);
	assert_int_equal(worker->after.operations, 1);
	assert_int_equal(worker_written_blocks(worker), 1);
	worker_free(worker);
}

static ssize_t stop_at_once(uint32_t number, const struct io *io)
{
	(void)number;
	atomic_store(&stop, true);
	return (ssize_t)io->length;
}

static void a_stop_ends_the_waiting(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_READ, 50);
	struct load_target target = make_target(&engine_told, 50, 1);
	phase.rate_operations = 1;
	phase.workers = 60; /* a minute for each I/O */
	result_of = stop_at_once;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(logged, 1);
	worker_free(worker);
}

/* Engines that have I/Os under way let completions in while they wait. */
static void a_rate_is_held_on_engines_that_do_io(void **state)
{
	(void)state;
	static const struct engine_ops *const engines[] = {&engine_sync, &engine_uring,
							   &engine_aio};
	char path[] = "/tmp/muster-worker-test.XXXXXX";
	int fd = mkstemp(path);
	struct error err;
	assert_true(fd >= 0);
	unlink(path);
	for (size_t i = 0; i < 3; i++) {
		struct phase phase = make_phase(PHASE_OP_WRITE, 200);
		struct target row = {.name = "t", .path = path};
		struct part part = {.target = &row, .kind = PART_FILE, .fd = fd, .path = path};
		struct part *one[1] = {&part};
		struct load_target target = make_target(engines[i], 200, 1);
		if (engines[i]->probe && engines[i]->probe(&err)) {
			print_message("left out: %s\n", err.text);
			continue;
		}
		target.target = &row;
		target.parts = one;
		phase.queue_depth = i ? 8 : 1;
		phase.rate_bytes = 2000 * BLOCK;
		uint64_t before = clock_now_ns();
		struct worker *worker = run_worker(&phase, &target, 0);
		assert_true(clock_now_ns() - before >= 99 * NS_PER_MS);
		assert_int_equal(worker->after.operations, 200);
		assert_int_equal(worker->response->total, 200);
		assert_int_equal(worker->after.errors, 0);
		worker_free(worker);
	}
	close(fd);
}

/* Those that are with the engine when a sync is due: none may be. */
static ssize_t nothing_is_out_after_six(uint32_t number, const struct io *io)
{
	if (number % 6 == 0)
		assert_int_equal(watched->in_flight, 0);
	return (ssize_t)io->length;
}

static void a_sync_comes_after_so_many_writes_and_all_of_them(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_WRITE, 100);
	struct load_target target = make_target(&engine_told, 100, 1);
	phase.queue_depth = 4;
	phase.sync_every = 6;
	result_of = nothing_is_out_after_six;
	watched = new_worker(&phase, &target, 0);
	run(watched, BUCKET_NS);
	assert_int_equal(logged, 100);
	assert_int_equal(watched->syncs->total, 16);
	assert_int_equal(watched->after.errors, 0);
	worker_free(watched);
}

static void reads_of_a_mixed_load_are_not_counted_for_syncs(void **state)
{
	(void)state;
	struct phase phase = make_phase(PHASE_OP_MIXED, 1000);
	struct load_target target = make_target(&engine_null, 1000, 1);
	phase.access = PHASE_ACCESS_RANDOM;
	phase.sync_every = 10;
	struct worker *worker = run_worker(&phase, &target, 0);
	assert_int_equal(worker->syncs->total, worker->after.bytes_written / BLOCK / 10);
	worker_free(worker);
}

/* A pipe cannot be synced. */
static void a_sync_that_fails_is_an_error_and_nothing_is_surely_written(void **state)
{
	(void)state;
	int pipe_of[2];
	assert_int_equal(pipe(pipe_of), 0);
	struct phase phase = make_phase(PHASE_OP_WRITE, 20);
	struct load_target target = make_target(&engine_told, 20, 1);
	phase.sync_every = 8;
	part_rows[0].fd = pipe_of[0];
	struct worker *worker = run_worker(&phase, &target, 0);
	struct tally timeline = timeline_of(worker);
	part_rows[0].fd = -1;
	assert_int_equal(worker->after.operations, 20);
	assert_int_equal(worker->after.errors, 2);
	assert_memory_equal(&timeline, &worker->after, sizeof(timeline));
	assert_int_equal(worker->syncs->total, 0);
	assert_int_equal(worker->error.kind, IO_SYNC);
	assert_int_equal(worker->error.number, EINVAL);
	assert_int_equal(worker_written_blocks(worker), 0);
	worker_free(worker);
	close(pipe_of[0]);
	close(pipe_of[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_amount_is_moved_exactly, reset),
		cmocka_unit_test_setup(engines_move_all_of_a_stripe_over_files, reset),
		cmocka_unit_test_setup(blocks_go_out_in_order_and_once, reset),
		cmocka_unit_test_setup(a_pass_that_writes_waits_for_the_one_before, reset),
		cmocka_unit_test_setup(a_runtime_ends_the_submits, reset),
		cmocka_unit_test_setup(the_ramp_is_whole_buckets, reset),
		cmocka_unit_test_setup(a_stop_drains_and_books, reset),
		cmocka_unit_test_setup(a_worker_gives_up_after_a_hundred_errors_in_a_row, reset),
		cmocka_unit_test_setup(errors_between_successes_do_not_end_it, reset),
		cmocka_unit_test_setup(a_short_write_counts_what_it_moved_and_as_an_error, reset),
		cmocka_unit_test_setup(short_reads_count_what_they_moved_by_kind, reset),
		cmocka_unit_test_setup(a_full_disk_stops_all_at_once, reset),
		cmocka_unit_test_setup(a_striped_request_is_complete_when_its_parts_are, reset),
		cmocka_unit_test_setup(half_a_striped_request_is_an_error_with_bytes, reset),
		cmocka_unit_test_setup(what_is_written_is_the_pattern_of_its_place_and_pass, reset),
		cmocka_unit_test_setup(a_timeline_that_nobody_collects_ends_the_worker, reset),
		cmocka_unit_test_setup(
			the_first_requests_are_filled_before_and_submitted_at_the_start, reset),
		cmocka_unit_test_setup(without_a_start_nothing_was_written, reset),
		cmocka_unit_test_setup(who_wakes_after_the_end_submits_nothing, reset),
		cmocka_unit_test_setup(an_end_that_moves_moves_for_who_is_under_way, reset),
		cmocka_unit_test_setup(a_clock_that_jumps_loses_and_doubles_nothing, reset),
		cmocka_unit_test_setup(a_mix_is_counted_by_size, reset),
		cmocka_unit_test_setup(a_rate_holds_submits_back, reset),
		cmocka_unit_test_setup(a_stall_counts_in_the_response_of_all_that_were_due, reset),
		cmocka_unit_test_setup(who_waits_for_the_next_ends_with_the_phase, reset),
		cmocka_unit_test_setup(a_stop_ends_the_waiting, reset),
		cmocka_unit_test_setup(a_rate_is_held_on_engines_that_do_io, reset),
		cmocka_unit_test_setup(a_sync_comes_after_so_many_writes_and_all_of_them, reset),
		cmocka_unit_test_setup(reads_of_a_mixed_load_are_not_counted_for_syncs, reset),
		cmocka_unit_test_setup(a_sync_that_fails_is_an_error_and_nothing_is_surely_written,
				       reset),
	};

	clock_map_init(&map, BUCKET_NS);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	clock_map_release(&map);
	return failed;
}
