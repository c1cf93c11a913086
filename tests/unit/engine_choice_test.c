/* Which engine a target gets, and what is said when it is not the one that was asked for. A ring is
 * refused here by leaving no file descriptor for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/engine_choice.h"

static struct target target_row = {.name = "t"};
static struct part file = {.kind = PART_FILE}, null = {.kind = PART_NULL};
static struct part *files[2] = {&file, &file}, *nulls[2] = {&null, &null};
static struct part *both[2] = {&file, &null};

static struct phase phase;
static struct ready ready;
static const struct part_context context = {.phase = &phase, .ready = &ready};

static uint32_t parts_count;
static char reason[256];

static int set_up(void **state)
{
	(void)state;
	phase = (struct phase){.name = "p", .workers = 2, .queue_depth = 1};
	ready = (struct ready){0};
	file = (struct part){.kind = PART_FILE, .path = "/the/file"};
	parts_count = 2;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	record_release(&ready_table, &ready);
	return 0;
}

/* "" or why not. */
static const char *choose(struct part **parts, const struct engine_ops **engine)
{
	static struct error err;
	struct load_target target = {
		.target = &target_row, .parts = parts, .parts_count = parts_count};
	bool failed = engine_choose(&target, &context, &err);

	*engine = target.engine;
	snprintf(reason, sizeof(reason), "%s", target.engine_reason);
	return failed ? err.text : "";
}

/* As choose(), where the system gives no ring. */
static const char *choose_without(struct part **parts, const struct engine_ops **engine)
{
	struct rlimit before, none;
	int lowest_free = dup(STDIN_FILENO);

	assert_true(lowest_free >= 0);
	close(lowest_free);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)lowest_free;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	const char *why = choose(parts, engine);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	return why;
}

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
}

static void null_targets_have_the_null_engine_whatever_is_asked_for(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	phase.queue_depth = 64;
	for (phase.engine = PHASE_ENGINE_AUTO; phase.engine <= PHASE_ENGINE_AIO; phase.engine++) {
		assert_string_equal(choose_without(nulls, &engine), "");
		assert_ptr_equal(engine, &engine_null);
	}
	assert_int_equal(ready.notes_count, 0);
	assert_holds(choose(both, &engine), "all of them null");
}

static void sync_is_taken_where_asked_for_with_one_in_flight(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	phase.engine = PHASE_ENGINE_SYNC;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_sync);
	assert_int_equal(ready.notes_count, 0);
	phase.queue_depth = 4;
	const char *why = choose(files, &engine);
	assert_holds(why, "target 't'");
	assert_holds(why, "sync");
	assert_holds(why, "8 have as much");
	assert_null(strstr(why, "io_uring"));
}

static void auto_is_uring_where_there_is_one(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	struct error why;
	if (engine_uring.probe(&why)) {
		print_message("skipped: %s\n", why.text);
		skip();
	}
	phase.queue_depth = 4096;
	for (int i = 0; i < 2; i++) {
		phase.engine = i ? PHASE_ENGINE_URING : PHASE_ENGINE_AUTO;
		assert_string_equal(choose(files, &engine), "");
		assert_ptr_equal(engine, &engine_uring);
	}
	assert_int_equal(ready.notes_count, 0);
}

static void auto_is_sync_for_one_in_flight_on_one_part(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	parts_count = 1;
	assert_string_equal(choose_without(files, &engine), "");
	assert_ptr_equal(engine, &engine_sync);
	assert_holds(reason, "one I/O in flight");
	assert_int_equal(ready.notes_count, 0);
}

static bool lacks_aio(void)
{
	struct error why;

	if (!engine_aio.probe(&why))
		return false;
	print_message("skipped: %s\n", why.text);
	return true;
}

static void auto_is_aio_where_io_cannot_begin_without_waiting(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	if (lacks_aio())
		skip();
	file.storage.waits = true;
	file.kind = PART_DEVICE;
	phase.queue_depth = 32;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_aio);
	assert_holds(reason, "/the/file");
	assert_holds(reason, "RWF_NOWAIT");
	assert_int_equal(ready.notes_count, 0);
}

/* A file system may wait for each I/O within io_submit: the kernel's threads wait side by side. */
static void auto_is_uring_for_files_whose_io_waits(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	struct error ignored;
	if (engine_uring.probe(&ignored)) {
		print_message("skipped: %s\n", ignored.text);
		skip();
	}
	file.storage.waits = true;
	phase.queue_depth = 32;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_uring);
}

/* With it AIO would have one I/O in flight. */
static void auto_is_never_aio_for_what_is_buffered(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	file.storage.waits = true;
	file.kind = PART_DEVICE;
	phase.direct = PHASE_DIRECT_FALSE;
	choose(files, &engine);
	assert_ptr_not_equal(engine, &engine_aio);
	phase.direct = PHASE_DIRECT_PREFER;
	file.io = TARGET_IO_BUFFERED;
	choose(files, &engine);
	assert_ptr_not_equal(engine, &engine_aio);
	choose_without(files, &engine);
	assert_ptr_equal(engine, &engine_sync);
}

/* Said once, however many targets there are. */
static void auto_without_uring_is_aio_and_says_why(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	if (lacks_aio())
		skip();
	phase.queue_depth = 4;
	for (int i = 0; i < 3; i++) {
		assert_string_equal(choose_without(files, &engine), "");
		assert_ptr_equal(engine, &engine_aio);
	}
	assert_int_equal(ready.notes_count, 1);
	assert_holds(ready.notes[0].name, "engine is aio, not uring: ");
	assert_holds(ready.notes[0].name, "io_uring");
	assert_holds(reason, "see the notes");
}

static void auto_without_any_queue_is_sync_and_says_why(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	phase.direct = PHASE_DIRECT_FALSE;
	assert_string_equal(choose_without(files, &engine), "");
	assert_ptr_equal(engine, &engine_sync);
	assert_int_equal(ready.notes_count, 1);
	assert_holds(ready.notes[0].name, "engine is sync, not uring: ");
	phase.queue_depth = 4;
	const char *why = choose_without(files, &engine);
	assert_holds(why, "'queue_depth: 1'");
	assert_holds(why, "io_uring");
}

static void uring_that_is_not_possible_is_refused_with_the_way_out(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	phase.engine = PHASE_ENGINE_URING;
	const char *why = choose_without(files, &engine);
	assert_holds(why, "target 't'");
	assert_holds(why, "io_uring");
	assert_holds(why, "'engine: auto'");
	assert_int_equal(ready.notes_count, 0);
}

static void polling_is_uring_s_or_refused_with_the_device_that_has_none(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	struct error ignored;
	if (engine_uring.probe(&ignored)) {
		print_message("skipped: %s\n", ignored.text);
		skip();
	}
	phase.iopoll = true;
	parts_count = 1;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_uring);
	assert_holds(reason, "only uring polls");
	snprintf(file.storage.no_poll_reason, sizeof(file.storage.no_poll_reason), "none there");
	assert_holds(choose(files, &engine), "iopoll is not possible on '/the/file': none there");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void trims_and_idle_phases_have_engines_of_their_own(void **state)
{
	(void)state;
	const struct engine_ops *engine;
	phase.op = PHASE_OP_TRIM;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_trim);
	assert_string_equal(choose(nulls, &engine), "");
	assert_ptr_equal(engine, &engine_null);
	phase.op = PHASE_OP_IDLE;
	assert_string_equal(choose(files, &engine), "");
	assert_ptr_equal(engine, &engine_null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(null_targets_have_the_null_engine_whatever_is_asked_for),
		TEST(sync_is_taken_where_asked_for_with_one_in_flight),
		TEST(auto_is_uring_where_there_is_one),
		TEST(polling_is_uring_s_or_refused_with_the_device_that_has_none),
		TEST(auto_is_sync_for_one_in_flight_on_one_part),
		TEST(auto_is_aio_where_io_cannot_begin_without_waiting),
		TEST(auto_is_uring_for_files_whose_io_waits),
		TEST(auto_is_never_aio_for_what_is_buffered),
		TEST(auto_without_uring_is_aio_and_says_why),
		TEST(auto_without_any_queue_is_sync_and_says_why),
		TEST(uring_that_is_not_possible_is_refused_with_the_way_out),
		cmocka_unit_test_setup_teardown(trims_and_idle_phases_have_engines_of_their_own,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
