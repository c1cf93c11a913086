/* A phase on one host, from the request to the totals: on null targets and on real files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/engine/engine.h"
#include "common/pattern.h"
#include "tests/unit/phase_scene.h"

static const struct pattern_shape plain;

static struct scene scene;
static char work[128];

static int set_up(void **state)
{
	(void)state;
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir -p '%s'", work))
		return -1;
	scene_init(&scene, work);
	return 0;
}

static int set_up_uring(void **state)
{
	int failed = set_up(state);

	scene.prepare.phase.engine = PHASE_ENGINE_URING;
	return failed;
}

static int set_up_deep_uring(void **state)
{
	int failed = set_up_uring(state);

	scene.prepare.phase.queue_depth = 8;
	return failed;
}

static int tear_down(void **state)
{
	(void)state;
	scene_release(&scene);
	return 0;
}

/* ---- what must agree ---- */

struct sums {
	uint64_t bytes_read, bytes_written, operations, errors;
};

static struct sums sum_timeline(const struct timeline *timeline, uint32_t target, uint32_t from)
{
	struct sums sums = {0};

	for (uint32_t i = 0; i < timeline->buckets_count; i++) {
		const struct timeline_bucket *b = &timeline->buckets[i];
		if (b->target != target || b->bucket < from)
			continue;
		sums.bytes_read += b->bytes_read;
		sums.bytes_written += b->bytes_written;
		sums.operations += b->operations;
		sums.errors += b->errors;
	}
	return sums;
}

static void assert_sums(const struct timeline *timeline, const struct done *done,
			uint32_t ramp_buckets)
{
	for (uint32_t i = 0; i < done->targets_count; i++) {
		const struct done_target *t = &done->targets[i];
		struct sums after = sum_timeline(timeline, i, ramp_buckets);
		struct sums all = sum_timeline(timeline, i, 0);
		uint64_t latencies = 0;
		assert_int_equal(after.bytes_read, t->bytes_read);
		assert_int_equal(after.bytes_written, t->bytes_written);
		assert_int_equal(after.operations, t->operations);
		assert_int_equal(after.errors, t->errors);
		assert_int_equal(all.bytes_read, t->bytes_read + t->ramp_bytes_read);
		assert_int_equal(all.bytes_written, t->bytes_written + t->ramp_bytes_written);
		assert_int_equal(all.operations, t->operations + t->ramp_operations);
		for (uint32_t k = 0; k < t->latency_count; k++)
			latencies += t->latency[k].count;
		assert_int_equal(latencies, t->operations);
	}
}

static void assert_complete(const struct done *done)
{
	if (done->state != DONE_COMPLETE)
		fail_msg("the phase is not complete: %s", done->text);
	assert_null(done->text);
}

/* ---- null ---- */

static void buckets_add_up_to_the_totals(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_null(&scene, "a", 10 * MIB, true);
	scene_null(&scene, "b", 20 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_MIXED;
	scene.prepare.phase.runtime = 500 * NS_PER_MS;
	scene.prepare.phase.ramp = 195 * NS_PER_MS; /* 20 buckets */
	scene.prepare.phase.block_size = 4 * KIB;
	scene.prepare.phase.queue_depth = 8;
	struct phase_run *phase = scene_ready(&scene);
	const struct ready *ready = phase_run_ready(phase);
	assert_int_equal(ready->targets_count, 2);
	assert_string_equal(ready->targets[1].target, "b");
	assert_string_equal(ready->targets[1].engine, "null");
	assert_int_equal(ready->targets[1].io, TARGET_IO_NONE);
	assert_int_equal(ready->targets[1].extent_bytes, 20 * MIB);
	assert_true(ready->buffer_bytes >= 2 * 2 * 8 * 4 * KIB);
	scene_finish(phase, &timeline, &done);
	assert_complete(&done);
	assert_sums(&timeline, &done, 20);
	assert_int_equal(done.workers_count, 4);
	for (int i = 0; i < 2; i++) {
		const struct done_target *t = &done.targets[i];
		assert_true(t->ramp_operations > 0 && t->operations > 0);
		assert_true(t->bytes_read > 0 && t->bytes_written > 0);
		assert_true(t->first_io_ns && t->first_io_ns < t->last_io_ns);
		assert_null(t->first_error);
	}
	assert_int_equal(done.devices_count, 0);
	assert_true(done.cpu_ns > 0);
	scene_free(&timeline, &done);
}

static void whichever_of_size_and_runtime_ends_first_ends_it(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.size_bytes = 25 * MIB; /* two passes and a half */
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].bytes_read, 25 * MIB);
	assert_int_equal(done.targets[0].passes, 2);
	scene_free(&timeline, &done);
	scene.prepare.phase.size_bytes = UINT64_C(1) << 60;
	scene.prepare.phase.runtime = 50 * NS_PER_MS;
	uint64_t start = clock_now_ns();
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_true(clock_now_ns() - start < 20 * NS_PER_S);
	assert_complete(&done);
	scene_free(&timeline, &done);
}

static void a_stop_before_the_start_is_a_failure_and_quick(void **state)
{
	(void)state;
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.runtime = NS_PER_S;
	struct phase_run *phase = scene_ready(&scene);
	phase_run_stop(phase, DONE_ABORTED, "told to");
	assert_int_equal(phase_run_state(phase), PHASE_RUN_FAILED);
	assert_string_equal(phase_run_failure(phase)->text, "told to");
	scene_start(phase, 0); /* too late: nothing happens */
	assert_int_equal(phase_run_state(phase), PHASE_RUN_FAILED);
	phase_run_free(phase);
	phase = scene_new(&scene);
	phase_run_stop(phase, DONE_ABORTED, "told to");
	assert_int_equal(scene_wait(phase, PHASE_RUN_PREPARING, NULL), PHASE_RUN_FAILED);
	phase_run_free(phase);
	phase_run_free(NULL);
}

static void a_stop_in_the_middle_keeps_what_was_done(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	const char *target;
	uint64_t since;
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	struct phase_run *phase = scene_ready(&scene);
	scene_start(phase, 0);
	while (!timeline.buckets_count)
		phase_run_harvest(phase, &timeline);
	phase_run_stuck(phase, clock_now_ns(), &target, &since);
	phase_run_stop(phase, DONE_ABORTED, "told to");
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	phase_run_harvest(phase, &timeline);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_int_equal(done.state, DONE_ABORTED);
	assert_string_equal(done.text, "told to");
	assert_true(done.targets[0].operations > 0);
	assert_sums(&timeline, &done, 0);
	scene_free(&timeline, &done);
}

static void a_stop_between_start_and_instant_does_no_io(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.runtime = NS_PER_S;
	struct phase_run *phase = scene_ready(&scene);
	scene_start(phase, 3600 * NS_PER_S);
	phase_run_stop(phase, DONE_ABORTED, "told to");
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_int_equal(done.state, DONE_ABORTED);
	assert_int_equal(done.targets[0].operations, 0);
	assert_int_equal(done.targets[0].first_io_ns, 0);
	scene_free(&timeline, &done);
}

/* A timeline that was not collected to its end does not add up, and that is said. */
static void a_missing_collection_is_noticed(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.size_bytes = MIB;
	struct phase_run *phase = scene_ready(&scene);
	scene_start(phase, 0);
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, NULL), PHASE_RUN_ENDED);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_int_equal(done.state, DONE_BROKEN);
	assert_non_null(strstr(done.text, "timeline has 0 operations"));
	scene_free(&timeline, &done);
}

/* ---- start and end ---- */

static const struct impossible_row {
	const char *name;
	struct start start;
} impossible_rows[] = {
	{"far", {.at_ns = UINT64_MAX}},
	{"ends before", {.at_ns = 1000, .end_ns = 999}},
	{"ends far", {.at_ns = 1, .end_ns = UINT64_MAX}},
	{"drift", {.at_ns = 1, .drift_ppb = INT64_MIN}},
};

static void an_impossible_start_breaks_the_phase_without_io(void **state)
{
	(void)state;
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	for (size_t i = 0; i < sizeof(impossible_rows) / sizeof(impossible_rows[0]); i++) {
		struct done done = {0};
		struct phase_run *phase = scene_ready(&scene);
		phase_run_start(phase, &impossible_rows[i].start);
		assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, NULL), PHASE_RUN_ENDED);
		phase_run_done(phase, &done);
		phase_run_free(phase);
		if (done.state != DONE_BROKEN || done.targets[0].operations)
			fail_msg("%s: state %d, %llu operations", impossible_rows[i].name,
				 (int)done.state, (unsigned long long)done.targets[0].operations);
		assert_string_equal(done.text, "the start's instants are impossible");
		record_release(&done_table, &done);
	}
}

/* All I/O of the phase lies where the controller put it; runtime is not asked any more. */
static void a_phase_ends_at_the_instant_that_was_named(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	scene_null(&scene, "a", 10 * MIB, true);
	scene_null(&scene, "b", 10 * MIB, true);
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	struct phase_run *phase = scene_ready(&scene);
	struct start start = {.at_ns = clock_now_ns() + 20 * NS_PER_MS, .drift_ppb = 200000};
	start.end_ns = start.at_ns + 150 * NS_PER_MS;
	phase_run_start(phase, &start);
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	phase_run_harvest(phase, &timeline);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_complete(&done);
	assert_sums(&timeline, &done, 0);
	assert_int_equal(done.workers_count, 4);
	for (uint32_t i = 0; i < done.workers_count; i++) {
		const struct done_worker *worker = &done.workers[i];
		assert_true(!worker->operations || worker->first_submit_ns >= start.at_ns);
		assert_true(!worker->operations || worker->first_submit_ns < start.end_ns);
	}
	scene_free(&timeline, &done);
}

static void a_start_that_moves_moves_for_all_workers(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	struct phase_run *phase = scene_ready(&scene);
	uint64_t now = clock_now_ns();
	struct start start = {.at_ns = now + 3600 * NS_PER_S, .end_ns = now + 7200 * NS_PER_S};
	struct amend amend = {.at_ns = now + 300 * NS_PER_MS, .end_ns = now + 400 * NS_PER_MS};
	assert_false(phase_run_amend(phase, &amend)); /* there is nothing to amend */
	phase_run_start(phase, &start);
	assert_true(phase_run_amend(phase, &amend));
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	phase_run_harvest(phase, &timeline);
	phase_run_done(phase, &done);
	assert_false(phase_run_amend(phase, &amend));
	phase_run_free(phase);
	assert_complete(&done);
	for (uint32_t i = 0; i < done.workers_count; i++)
		assert_true(!done.workers[i].operations ||
			    done.workers[i].first_submit_ns >= amend.at_ns);
	assert_sums(&timeline, &done, 0);
	scene_free(&timeline, &done);
}

/* Borders that move all the time, under load: what was counted twice agrees. */
static void amended_borders_keep_the_sums(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	struct done done = {0};
	scene_null(&scene, "a", 10 * MIB, true);
	scene.prepare.bucket_ns = 2 * NS_PER_MS;
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	scene.prepare.phase.ramp = 200 * NS_PER_MS; /* 100 buckets */
	struct phase_run *phase = scene_ready(&scene);
	uint64_t width = scene.prepare.bucket_ns, at = clock_now_ns() + 10 * NS_PER_MS;
	struct start start = {.at_ns = at, .end_ns = at + 400 * NS_PER_MS};
	uint32_t taken = 0;
	phase_run_start(phase, &start);
	while (phase_run_state(phase) == PHASE_RUN_RUNNING) {
		uint64_t now = clock_now_ns(), since = now > at ? now - at : 0;
		uint32_t bucket = (uint32_t)(since / width) + 4;
		struct amend amend = {.bucket = bucket,
				      .at_ns = at + bucket * width + (bucket % 2) * width / 10,
				      .end_ns = start.end_ns + bucket % 2,
				      .drift_ppb = bucket % 2 ? 500000 : -500000};
		taken += phase_run_amend(phase, &amend);
		phase_run_harvest(phase, &timeline);
	}
	phase_run_harvest(phase, &timeline);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_complete(&done);
	assert_true(taken > 0);
	assert_sums(&timeline, &done, 100);
	scene_free(&timeline, &done);
}

/* ---- files ---- */

/* Offset of the first byte of the file that is none of `generation`'s data; its size when all is.
 */
static uint64_t check_data(const char *target, uint64_t size, uint64_t generation)
{
	char *path = scene_path(&scene, target);
	int fd = open(path, O_RDONLY);
	char *data = mem_new(size, 1);

	free(path);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, data, size, 0), size);
	close(fd);
	uint64_t at = pattern_check(
		data, size, pattern_key(7, pattern_owner("h", target), generation, plain), 0);
	free(data);
	return at;
}

static void a_written_file_holds_the_pattern_and_is_not_laid_out_again(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "a", 8 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 8 * MIB;
	scene.prepare.phase.sync = PHASE_SYNC_END;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_sums(&timeline, &done, 0);
	assert_int_equal(done.targets[0].bytes_written, 8 * MIB);
	assert_int_equal(done.targets[0].passes, 1);
	assert_true(done.targets[0].sync_ns > 0);
	scene_free(&timeline, &done);
	assert_int_equal(check_data("a", 8 * MIB, 0), 8 * MIB);
	scene.prepare.phase.op = PHASE_OP_READ;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].bytes_read, 8 * MIB);
	assert_int_equal(done.targets[0].sync_ns, 0);
	scene_free(&timeline, &done);
	/* had it been laid out, the data would be the next generation's */
	assert_int_equal(check_data("a", 8 * MIB, 0), 8 * MIB);
}

static void a_read_of_what_was_never_written_is_laid_out_first(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	struct stat st;
	scene_file(&scene, "a", 5 * MIB, true);
	scene_file(&scene, "b", 3 * MIB, true);
	scene.prepare.phase.size_bytes = 4 * MIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].bytes_read, 4 * MIB);
	assert_int_equal(done.targets[1].bytes_read, 4 * MIB);
	scene_free(&timeline, &done);
	assert_int_equal(check_data("a", 4 * MIB, 0), 4 * MIB);
	assert_int_equal(check_data("b", 3 * MIB, 0), 3 * MIB);
	char *path = scene_path(&scene, "a");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4 * MIB); /* no more than the phase may touch */
	free(path);
}

/* An interrupted write leaves holes; the read after it must find none. */
static void a_read_after_an_interrupted_write_finds_no_hole(void **state)
{
	(void)state;
	for (enum phase_split split = PHASE_SPLIT_REGIONS; split <= PHASE_SPLIT_INTERLEAVED;
	     split++) {
		struct timeline timeline = {0};
		struct done done = {0};
		char name[8];
		snprintf(name, sizeof(name), "f%d", (int)split);
		scene.prepare.phase.targets_count = 0;
		scene_file(&scene, name, 64 * MIB, true);
		scene.prepare.phase.op = PHASE_OP_WRITE;
		scene.prepare.phase.split = split;
		scene.prepare.phase.size_bytes = 64 * MIB;
		scene.prepare.phase.block_size = 4 * KIB;
		scene.prepare.phase.workers = 3;
		struct phase_run *phase = scene_ready(&scene);
		scene_start(phase, 0);
		while (!timeline.buckets_count)
			phase_run_harvest(phase, &timeline);
		phase_run_stop(phase, DONE_ABORTED, "told to");
		scene_wait(phase, PHASE_RUN_RUNNING, &timeline);
		phase_run_harvest(phase, &timeline);
		phase_run_done(phase, &done);
		phase_run_free(phase);
		scene_free(&timeline, &done);
		scene.prepare.phase.op = PHASE_OP_READ;
		scene_finish(scene_ready(&scene), &timeline, &done);
		assert_complete(&done);
		assert_int_equal(done.targets[0].bytes_read, 64 * MIB);
		scene_free(&timeline, &done);
		char *path = scene_path(&scene, name);
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 64 * MIB);
		assert_true((uint64_t)st.st_blocks * 512 >= 64 * MIB);
		free(path);
	}
}

static void a_stripe_spreads_what_it_writes_over_its_parts(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "a", 2 * MIB, false);
	scene_file(&scene, "b", 3 * MIB, false);
	struct target *stripe = scene_target(&scene, "s", true);
	struct name parts[] = {{"a"}, {"b"}};
	stripe->stripe = parts;
	stripe->stripe_count = 2;
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.block_size = MIB;
	scene.prepare.phase.size_bytes = 100 * MIB;
	struct phase_run *phase = scene_ready(&scene);
	assert_int_equal(phase_run_ready(phase)->targets[0].extent_bytes, 4 * MIB);
	scene_finish(phase, &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets_count, 1);
	assert_int_equal(done.targets[0].bytes_written, 100 * MIB);
	assert_int_equal(done.targets[0].operations, 100);
	assert_sums(&timeline, &done, 0);
	scene_free(&timeline, &done);
	/* unit 3 of the stripe is unit 1 of b; 25 passes: the last is generation 24 */
	char *path = scene_path(&scene, "b");
	char *data = mem_new(128 * KIB, 1);
	int fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, data, 128 * KIB, 128 * KIB), 128 * KIB);
	close(fd);
	free(path);
	assert_int_equal(pattern_check(data, 128 * KIB,
				       pattern_key(7, pattern_owner("h", "b"), 24, plain),
				       128 * KIB),
			 128 * KIB);
	free(data);
	/* both parts are whole, so reading them lays nothing out: generation 0 of "a" never was */
	scene.prepare.phase.op = PHASE_OP_READ;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	scene_free(&timeline, &done);
	assert_int_equal(check_data("a", 2 * MIB, 25), 0);
}

static void each_write_is_synced_where_asked(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	scene.prepare.phase.sync = PHASE_SYNC_EACH;
	scene.prepare.phase.direct = PHASE_DIRECT_FALSE;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].operations, 16);
	assert_int_equal(done.targets[0].sync_ns, 0); /* it is within the latencies */
	scene_free(&timeline, &done);
}

static void direct_io_is_what_was_asked_for(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "a", 4 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 4 * MIB;
	scene.prepare.phase.direct = PHASE_DIRECT_TRUE;
	struct phase_run *phase = scene_new(&scene);
	if (scene_wait(phase, PHASE_RUN_PREPARING, NULL) == PHASE_RUN_FAILED) {
		print_message("skipped: %s\n", phase_run_failure(phase)->text);
		phase_run_free(phase);
		skip();
	}
	assert_int_not_equal(phase_run_ready(phase)->targets[0].io, TARGET_IO_BUFFERED);
	scene_finish(phase, &timeline, &done);
	assert_complete(&done);
	if (!done.devices_count)
		print_message("no devices known beneath %s\n", work);
	for (uint32_t i = 0; i < done.devices_count; i++)
		if (!done.devices[i].under)
			assert_true(done.devices[i].written_after -
					    done.devices[i].written_before >=
				    4 * MIB);
	scene_free(&timeline, &done);
	assert_int_equal(check_data("a", 4 * MIB, 0), 4 * MIB);
}

static void a_mixed_phase_reads_no_hole_and_writes_new_data(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "a", 2 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_MIXED;
	scene.prepare.phase.access = PHASE_ACCESS_RANDOM;
	scene.prepare.phase.size_bytes = 8 * MIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	const struct done_target *t = &done.targets[0];
	assert_int_equal(t->bytes_read + t->bytes_written, 8 * MIB);
	assert_true(t->bytes_read > 0 && t->bytes_written > 0);
	assert_int_equal(t->errors, 0);
	scene_free(&timeline, &done);
}

/* On each engine; and those that look at the data after several passes, which go out in order only
 * with one in flight. */
#define ON(engine, test) cmocka_unit_test_setup_teardown(test, engine, tear_down)
#define FILE_TESTS(engine)                                                                         \
	ON(engine, a_written_file_holds_the_pattern_and_is_not_laid_out_again),                    \
		ON(engine, a_read_of_what_was_never_written_is_laid_out_first),                    \
		ON(engine, a_read_after_an_interrupted_write_finds_no_hole),                       \
		ON(engine, each_write_is_synced_where_asked),                                      \
		ON(engine, direct_io_is_what_was_asked_for),                                       \
		ON(engine, a_mixed_phase_reads_no_hole_and_writes_new_data)
#define PASS_TESTS(engine) ON(engine, a_stripe_spreads_what_it_writes_over_its_parts)

/* 512-byte blocks that the file has on its file system. */
static uint64_t blocks_of(const char *target)
{
	char *path = scene_path(&scene, target);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4 * MIB);
	free(path);
	return (uint64_t)st.st_blocks;
}

/* What is trimmed is laid out before and a hole after, and laid out again before it is read. */
static void a_trimmed_file_has_holes_that_are_not_read(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_file(&scene, "f", 4 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_TRIM;
	scene.prepare.phase.size_bytes = 3 * MIB;
	struct phase_run *phase = scene_new(&scene);
	if (scene_wait(phase, PHASE_RUN_PREPARING, NULL) != PHASE_RUN_READY) {
		print_message("left out: %s\n", phase_run_failure(phase)->text);
		phase_run_free(phase);
		skip();
	}
	scene_finish(phase, &timeline, &done);
	assert_complete(&done);
	assert_sums(&timeline, &done, 0);
	assert_int_equal(done.targets[0].bytes_written, 3 * MIB);
	assert_int_equal(done.targets[0].bytes_read, 0);
	scene_free(&timeline, &done);
	char *path = scene_path(&scene, "f");
	assert_int_equal(written_missing(scene.written, path, 4 * MIB), 4 * MIB);
	free(path);
	scene.prepare.phase.op = PHASE_OP_READ;
	scene.prepare.phase.size_bytes = 4 * MIB;
	scene.prepare.phase.verify = true;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].miscompares.verified_bytes, 4 * MIB);
	assert_int_equal(done.targets[0].miscompares.blocks, 0);
	scene_free(&timeline, &done);
	uint64_t full = blocks_of("f");
	scene.prepare.phase.op = PHASE_OP_TRIM;
	scene.prepare.phase.verify = false;
	scene.prepare.phase.size_bytes = 2 * MIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	scene_free(&timeline, &done);
	assert_int_equal(full - blocks_of("f"), 2 * MIB / 512);
	scene.prepare.phase.size_bytes = 0; /* all of it, once */
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_complete(&done);
	assert_int_equal(done.targets[0].bytes_written, 4 * MIB);
	assert_int_equal(done.targets[0].passes, 1);
	scene_free(&timeline, &done);
	assert_int_equal(full - blocks_of("f"), 4 * MIB / 512);
}

static void an_idle_phase_lasts_its_time_and_does_nothing(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	scene_null(&scene, "n", 4 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_IDLE;
	scene.prepare.phase.runtime = 100 * NS_PER_MS;
	struct phase_run *phase = scene_ready(&scene);
	uint64_t start_ns = clock_now_ns();
	timeline = (struct timeline){0};
	done = (struct done){0};
	phase_run_start(phase,
			&(struct start){.at_ns = start_ns, .end_ns = start_ns + 100 * NS_PER_MS});
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	assert_true(clock_now_ns() >= start_ns + 100 * NS_PER_MS);
	phase_run_done(phase, &done);
	phase_run_free(phase);
	assert_complete(&done);
	assert_int_equal(done.targets[0].operations, 0);
	assert_int_equal(done.targets[0].first_io_ns, 0);
	assert_int_equal(timeline.buckets_count, 0);
	scene_free(&timeline, &done);
}

/* In sequence and at random: all of it, exactly so often, and known for what it is. */
static void a_fill_writes_all_and_is_verified(void **state)
{
	(void)state;
	static const enum phase_access access[] = {PHASE_ACCESS_SEQUENTIAL, PHASE_ACCESS_RANDOM};
	scene_file(&scene, "f", 3 * MIB, true);
	for (int i = 0; i < 2; i++) {
		struct timeline timeline;
		struct done done;
		scene.prepare.phase.op = PHASE_OP_FILL;
		scene.prepare.phase.access = access[i];
		scene.prepare.phase.passes = 2 + (uint32_t)i;
		scene.prepare.phase.verify = false;
		scene_finish(scene_ready(&scene), &timeline, &done);
		assert_complete(&done);
		assert_int_equal(done.targets[0].bytes_written, (2 + (uint32_t)i) * 3 * MIB);
		assert_int_equal(done.targets[0].passes, 2 + (uint32_t)i);
		scene_free(&timeline, &done);
		scene.prepare.phase.op = PHASE_OP_READ;
		scene.prepare.phase.access = PHASE_ACCESS_SEQUENTIAL;
		scene.prepare.phase.size_bytes = 3 * MIB;
		scene.prepare.phase.verify = true;
		scene_finish(scene_ready(&scene), &timeline, &done);
		assert_complete(&done);
		assert_int_equal(done.targets[0].miscompares.verified_bytes, 3 * MIB);
		assert_int_equal(done.targets[0].miscompares.blocks, 0);
		scene_free(&timeline, &done);
		scene.prepare.phase.size_bytes = 0;
	}
}

static void a_fill_with_another_end_is_refused(void **state)
{
	(void)state;
	scene_null(&scene, "n", MIB, true);
	scene.prepare.phase.op = PHASE_OP_FILL;
	for (int i = 0; i < 3; i++) {
		scene.prepare.phase.passes = i != 0;
		scene.prepare.phase.runtime = i == 1 ? NS_PER_S : 0;
		scene.prepare.phase.size_bytes = i == 2 ? MIB : 0;
		char *text = scene_refusal(&scene);
		assert_non_null(strstr(text, "a fill ends when"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(buckets_add_up_to_the_totals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(whichever_of_size_and_runtime_ends_first_ends_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stop_before_the_start_is_a_failure_and_quick,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stop_in_the_middle_keeps_what_was_done, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_stop_between_start_and_instant_does_no_io, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_missing_collection_is_noticed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_impossible_start_breaks_the_phase_without_io,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_phase_ends_at_the_instant_that_was_named, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_start_that_moves_moves_for_all_workers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(amended_borders_keep_the_sums, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_trimmed_file_has_holes_that_are_not_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_fill_writes_all_and_is_verified, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_fill_with_another_end_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_idle_phase_lasts_its_time_and_does_nothing,
						set_up, tear_down),
	};
	const struct CMUnitTest on_sync[] = {FILE_TESTS(set_up), PASS_TESTS(set_up)};
	const struct CMUnitTest on_uring[] = {FILE_TESTS(set_up_uring), PASS_TESTS(set_up_uring)};
	const struct CMUnitTest on_deep_uring[] = {FILE_TESTS(set_up_deep_uring)};
	struct error why;

	test_folder_make();
	int failed = cmocka_run_group_tests(tests, NULL, NULL) +
		     cmocka_run_group_tests(on_sync, NULL, NULL);
	if (engine_uring.probe(&why))
		print_message("skipped: files through io_uring: %s\n", why.text);
	else
		failed += cmocka_run_group_tests(on_uring, NULL, NULL) +
			  cmocka_run_group_tests(on_deep_uring, NULL, NULL);
	return failed;
}
