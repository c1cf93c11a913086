/* Results in the spool: what is written is read, whatever became of the writer. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "agent/recorder.h"
#include "common/clock.h"
#include "common/framed.h"
#include "common/memory.h"
#include "proto/codec.h"
#include "proto/run_id.h"
#include "tests/unit/loop_device.h"

#define DAY_NS (24 * 3600 * NS_PER_S)

static struct kept_runs kept;
static char spool[128];
static char owner[RUN_ID_OWNER_SIZE]; /* of the next */

static int set_up(void **state)
{
	struct error err;

	(void)state;
	run_id_digest("somebody's", owner);
	snprintf(spool, sizeof(spool), "%s/spool", test_folder);
	if (!run("rm -rf '%s' && mkdir '%s'", spool, spool))
		return -1;
	return kept_runs_open(&kept, spool, &err);
}

static int tear_down(void **state)
{
	(void)state;
	kept_runs_close(&kept);
	return 0;
}

static struct bytes lease_of(const char *holder)
{
	const struct lease lease = {.holder = (char *)holder,
				    .run = "r",
				    .owner = owner,
				    .host = "h",
				    .dead_after_ns = 10 * NS_PER_S,
				    .clock_key = ""};
	const struct envelope envelope = {.kind = MESSAGE_LEASE};
	struct bytes frame = {0}, records = {0};

	codec_pack(&envelope, &lease, &frame);
	framed_append(&records, frame.data, frame.size);
	free(frame.data);
	return records;
}

static void append(struct bytes *records, uint32_t count, size_t size)
{
	unsigned char *content = mem_new(size ? size : 1, 1);

	for (uint32_t i = 0; i < count; i++)
		framed_append(records, content, size);
	free(content);
}

/* A phase of these records, which it releases. */
static void put_phase(const char *name, uint32_t number, struct bytes *records)
{
	struct error err;
	struct bytes lease = lease_of("ann@desk pid 1");

	assert_int_equal(kept_runs_make(&kept, name, &lease, &err), 0);
	int fd = kept_runs_add(&kept, name, number, 1, &err);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, records->data, records->size), records->size);
	assert_int_equal(kept_runs_sync(&kept, name, fd, &err), 0);
	close(fd);
	free(records->data);
	free(lease.data);
}

/* A phase of `count` records of `size` bytes each. */
static void add_phase(const char *name, uint32_t number, uint32_t count, size_t size)
{
	struct bytes records = {0};

	append(&records, count, size);
	put_phase(name, number, &records);
}

static uint32_t runs_there(void)
{
	struct leased leased = {0};

	kept_runs_list(&kept, &leased);
	uint32_t count = leased.kept_count;
	record_release(message_types[MESSAGE_LEASED].table, &leased);
	return count;
}

static void what_is_listed_is_what_is_there(void **state)
{
	struct leased leased = {0};

	(void)state;
	add_phase("run-a", 3, 2, 100);
	add_phase("run-a", 12, 1, 10);
	assert_true(run("touch '%s/results/stray' && mkdir '%s/results/.hidden'", spool, spool));
	kept_runs_list(&kept, &leased);
	assert_int_equal(leased.kept_count, 1);
	assert_string_equal(leased.kept[0].run, "run-a");
	assert_string_equal(leased.kept[0].holder, "ann@desk pid 1");
	assert_int_equal(leased.kept[0].phases_count, 2);
	assert_int_equal(leased.kept[0].phases[0].number, 3);
	assert_int_equal(leased.kept[0].phases[0].bytes, 2 * 108);
	assert_int_equal(leased.kept[0].phases[1].number, 12);
	record_release(message_types[MESSAGE_LEASED].table, &leased);
}

static void a_run_is_forgotten_phase_by_phase(void **state)
{
	struct leased leased = {0};

	(void)state;
	add_phase("run-a", 3, 2, 100);
	add_phase("run-a", 4, 2, 100);
	kept_runs_forget(&kept, "run-a", 0);
	kept_runs_forget(&kept, "run-a", 3);
	kept_runs_list(&kept, &leased);
	assert_int_equal(leased.kept_count, 1);
	assert_int_equal(leased.kept[0].phases_count, 1);
	assert_int_equal(leased.kept[0].phases[0].number, 4);
	record_release(message_types[MESSAGE_LEASED].table, &leased);
	kept_runs_forget(&kept, "run-a", 4);
	assert_int_equal(runs_there(), 0);
	kept_runs_forget(&kept, "../spool", UINT32_MAX); /* no run: nothing happens */
	assert_true(run("test -d '%s'", spool));
}

/* Reads in pieces until the end; answers the records. */
static uint32_t read_all(const char *name, uint32_t number, uint64_t *torn)
{
	struct kept_read read = {0};
	struct error err;
	uint32_t records = 0, turns = 0;

	do {
		const unsigned char *record;
		size_t size;
		assert_int_equal(kept_runs_read(&kept, name, number, 1, read.next, &read, &err), 0);
		struct framed framed = {.data = read.bytes.data, .size = read.bytes.size};
		uint32_t before = records;
		while (framed_next(&framed, &record, &size))
			records++;
		assert_true(read.bytes.size <= KEPT_RUNS_READ || records == before + 1);
		free(read.bytes.data);
		assert_true(++turns < 100);
	} while (!read.is_end);
	*torn = read.torn;
	return records;
}

static void a_large_file_comes_in_pieces(void **state)
{
	struct bytes mixed = {0};
	uint64_t torn;

	(void)state;
	append(&mixed, 10, 100);
	append(&mixed, 1, 2 * KEPT_RUNS_READ);
	append(&mixed, 500, 100);
	put_phase("run-a", 4, &mixed);
	add_phase("run-a", 1, 5000, 1000);            /* five pieces */
	add_phase("run-a", 2, 3, 2 * KEPT_RUNS_READ); /* each larger than a piece */
	add_phase("run-a", 3, 0, 0);
	assert_int_equal(read_all("run-a", 1, &torn), 5000);
	assert_int_equal(torn, 0);
	assert_int_equal(read_all("run-a", 2, &torn), 3);
	assert_int_equal(torn, 0);
	assert_int_equal(read_all("run-a", 3, &torn), 0);
	assert_int_equal(torn, 0);
	assert_int_equal(read_all("run-a", 4, &torn), 511);
	assert_int_equal(torn, 0);
}

static void a_torn_end_is_told_and_damage_ends_it(void **state)
{
	char path[256];
	uint64_t torn;

	(void)state;
	add_phase("run-a", 1, 3000, 1000);
	snprintf(path, sizeof(path), "%s/results/run-a/phase.1.1", spool);
	assert_int_equal(truncate(path, 3000 * 1008 - 7), 0);
	assert_int_equal(read_all("run-a", 1, &torn), 2999);
	assert_int_equal(torn, 1001);
	int fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, 1500 * 1008 + 500), 1);
	close(fd);
	assert_int_equal(read_all("run-a", 1, &torn), 1500);
	assert_int_equal(torn, 1500 * 1008 - 7);
}

static void count_expired(void *context, const char *name, uint64_t bytes)
{
	assert_string_equal(name, "old");
	assert_true(bytes > 0);
	++*(int *)context;
}

static void only_what_is_too_old_expires(void **state)
{
	int expired = 0;

	(void)state;
	add_phase("old", 1, 1, 10);
	add_phase("new", 1, 1, 10);
	assert_true(run("touch -d '3 days ago' '%s/results/old/lease' '%s/results/old/phase.1.1'",
			spool, spool));
	kept_runs_expire(&kept, 4 * DAY_NS, count_expired, &expired);
	assert_int_equal(expired, 0);
	kept_runs_expire(&kept, 2 * DAY_NS, count_expired, &expired);
	assert_int_equal(expired, 1);
	assert_int_equal(runs_there(), 1);
}

/* ---- the thread ---- */

static struct recorder *open_recorder(uint64_t limit)
{
	struct error err;
	struct recorder *recorder = recorder_new(spool, limit, DAY_NS, &err);

	assert_non_null(recorder);
	return recorder;
}

static void record_phase_as(struct recorder *recorder, const char *whose, uint32_t number,
			    uint32_t records)
{
	unsigned char content[1000] = {0};
	const struct bytes frame = {.data = content, .size = sizeof(content)};
	struct bytes lease = lease_of("ann");

	recorder_begin(recorder, "run-a", whose, &lease, number, 1);
	for (uint32_t i = 0; i < records; i++)
		recorder_add(recorder, &frame);
	recorder_end(recorder);
	free(lease.data);
}

static void record_phase(struct recorder *recorder, uint32_t records)
{
	record_phase_as(recorder, owner, 1, records);
}

static void what_is_recorded_is_there_after_a_restart(void **state)
{
	struct leased leased = {0};
	struct error problem;
	uint64_t torn;

	(void)state;
	struct recorder *recorder = open_recorder(1 << 20);
	record_phase(recorder, 100);
	assert_false(recorder_problem(recorder, &problem));
	recorder_free(recorder);
	assert_int_equal(read_all("run-a", 1, &torn), 100);

	recorder = open_recorder(1 << 20);
	recorder_list(recorder, "run-b", &leased);
	assert_int_equal(leased.kept_count, 1);
	struct recorder_use use = recorder_used(recorder, "run-a", 0);
	assert_true(use.bytes > 100 * 1008);
	assert_int_equal(use.phases, 1);
	assert_int_equal(use.spare_bytes + use.spare_phases, 0);
	use = recorder_used(recorder, "run-b", 1);
	assert_int_equal(use.phases + use.spare_bytes + use.spare_phases, 0);
	use = recorder_used(recorder, "run-a", 1);
	assert_int_equal(use.spare_phases, 1);
	/* Not the run's lease. */
	assert_true(use.spare_bytes >= 100 * 1008 && use.spare_bytes < use.bytes);
	record_release(message_types[MESSAGE_LEASED].table, &leased);
	recorder_forget(recorder, "run-a", owner, UINT32_MAX);
	recorder_free(recorder);
	assert_int_equal(runs_there(), 0);
}

static void add_run(struct leased *leased, const char *name, uint32_t phases)
{
	struct kept_run *run = RECORD_APPEND(leased->kept, leased->kept_count);

	run->run = mem_text(name);
	run->holder = mem_format("%0300d", 0);
	run->since = mem_text("2026-11-30T19:15:02Z");
	run->phases = mem_new(phases, sizeof(*run->phases));
	run->phases_count = phases;
	for (uint32_t i = 0; i < phases; i++)
		run->phases[i] = (struct kept_phase){UINT32_MAX, UINT32_MAX, UINT64_MAX};
}

static size_t frame_size(struct leased *leased)
{
	const struct envelope envelope = {.kind = MESSAGE_LEASED};
	struct bytes frame = {0};

	leased->system = leased->kernel = leased->hostname = leased->boot_id = "x";
	codec_pack(&envelope, leased, &frame);
	leased->system = leased->kernel = leased->hostname = leased->boot_id = NULL;
	free(frame.data);
	return frame.size;
}

/* Who asks for a lease has to have an answer, however much waits: its own run is in it. */
static void what_is_listed_fits_into_a_frame(void **state)
{
	struct leased all = {0}, leased = {0};

	(void)state;
	for (uint32_t i = 0; i < 30; i++)
		add_run(&all, "others", RECORDER_PHASES_MOST);
	for (uint32_t i = 0; i < 5000; i++)
		add_run(&all, "small", 1);
	add_run(&all, "own", RECORDER_PHASES_MOST);
	assert_true(frame_size(&all) > CODEC_FRAME_MAX);
	recorder_fit(&all, "own", &leased);
	assert_string_equal(leased.kept[0].run, "own");
	assert_int_equal(leased.kept[0].phases_count, RECORDER_PHASES_MOST);
	assert_true(leased.kept_count > 1000);
	assert_int_equal(leased.kept_count + leased.kept_more, all.kept_count);
	assert_true(frame_size(&leased) < CODEC_FRAME_MAX / 2);
	record_release(message_types[MESSAGE_LEASED].table, &all);
	record_release(message_types[MESSAGE_LEASED].table, &leased);
}

/* Whatever the session lets through: what is not the owner's is neither removed nor added to. */
static void another_owner_changes_nothing(void **state)
{
	struct error problem;
	uint64_t torn;

	(void)state;
	run_id_digest("ann's", owner);
	struct recorder *recorder = open_recorder(1 << 20);
	record_phase(recorder, 3);
	char ann[RUN_ID_OWNER_SIZE];
	memcpy(ann, owner, sizeof(ann));
	run_id_digest("bob's", owner);
	recorder_forget(recorder, "run-a", owner, UINT32_MAX);
	record_phase_as(recorder, owner, 2, 5);
	recorder_free(recorder);
	assert_true(kept_runs_is_of(&kept, "run-a", ann));
	assert_false(kept_runs_is_of(&kept, "run-a", owner));
	assert_true(kept_runs_is_of(&kept, "run-b", owner));
	assert_int_equal(read_all("run-a", 1, &torn), 3);
	recorder = open_recorder(1 << 20);
	record_phase_as(recorder, owner, 2, 5);
	uint64_t end = clock_now_ns() + 20 * NS_PER_S;
	while (!recorder_problem(recorder, &problem) && clock_now_ns() < end)
		clock_sleep(NS_PER_MS);
	assert_non_null(strstr(problem.text, "another controller's"));
	recorder_forget(recorder, "run-a", ann, UINT32_MAX);
	recorder_free(recorder);
	assert_int_equal(runs_there(), 0);
}

/* All three are queued before the first is begun. */
static void a_phase_behind_one_that_is_refused_is_whole(void **state)
{
	struct error problem;
	uint64_t torn;

	(void)state;
	run_id_digest("ann's", owner);
	struct recorder *recorder = open_recorder(10 << 20);
	record_phase(recorder, 3);
	char ann[RUN_ID_OWNER_SIZE];
	memcpy(ann, owner, sizeof(ann));
	run_id_digest("bob's", owner);
	record_phase_as(recorder, owner, 2, 2000);
	record_phase_as(recorder, ann, 3, 2000);
	while (!recorder_is_idle(recorder))
		clock_sleep(NS_PER_MS);
	assert_false(recorder_problem(recorder, &problem));
	recorder_free(recorder);
	assert_int_equal(read_all("run-a", 1, &torn), 3);
	assert_int_equal(read_all("run-a", 3, &torn), 2000);
}

/* A lease that was lost with the power makes a run nobody's, not everybody's. */
static void a_run_without_a_lease_is_nobodys(void **state)
{
	static const char *const damages[] = {
		": > '%s/results/run-a/lease'",
		"rm '%s/results/run-a/lease'",
		"rm '%s/results/run-a/lease'; mkdir '%s/results/run-a/lease'",
	};
	uint64_t torn;

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		print_message("row %zu\n", i);
		assert_int_equal(set_up(state), 0);
		add_phase("run-a", 1, 3, 10);
		assert_true(run(damages[i], spool, spool));
		assert_false(kept_runs_is_of(&kept, "run-a", owner));
		assert_false(kept_runs_is_of(&kept, "run-a", ""));
		struct recorder *recorder = open_recorder(1 << 20);
		recorder_forget(recorder, "run-a", owner, UINT32_MAX);
		record_phase(recorder, 5);
		recorder_free(recorder);
		assert_int_equal(read_all("run-a", 1, &torn), 3);
		assert_int_equal(runs_there(), 1);
		tear_down(state);
	}
}

/* The agent ended between the two. */
static void a_run_without_phases_takes_a_lease_again(void **state)
{
	(void)state;
	assert_true(run("mkdir '%s/results/run-a' && : > '%s/results/run-a/lease.new' && "
			": > '%s/results/run-a/lease'",
			spool, spool, spool));
	assert_true(kept_runs_is_of(&kept, "run-a", owner));
	add_phase("run-a", 1, 3, 10);
	assert_true(kept_runs_is_of(&kept, "run-a", owner));
	assert_false(kept_runs_is_of(&kept, "run-a", "another"));
	assert_true(run("touch '%s/results/run-a/lease.new'", spool));
	kept_runs_forget(&kept, "run-a", UINT32_MAX);
	assert_int_equal(runs_there(), 0);
}

static void at_the_limit_the_rest_is_left_out_and_said(void **state)
{
	struct error problem = {0};
	uint64_t torn, end = clock_now_ns() + 20 * NS_PER_S;

	(void)state;
	struct recorder *recorder = open_recorder(50 * 1008);
	record_phase(recorder, 100);
	while (!recorder_problem(recorder, &problem) && clock_now_ns() < end)
		clock_sleep(NS_PER_MS);
	assert_non_null(strstr(problem.text, "spool_limit"));
	recorder_free(recorder);
	assert_int_equal(read_all("run-a", 1, &torn), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_listed_is_what_is_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_phase_behind_one_that_is_refused_is_whole, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_run_is_forgotten_phase_by_phase, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_large_file_comes_in_pieces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_torn_end_is_told_and_damage_ends_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(only_what_is_too_old_expires, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_recorded_is_there_after_a_restart, set_up,
						tear_down),
		cmocka_unit_test(what_is_listed_fits_into_a_frame),
		cmocka_unit_test_setup_teardown(another_owner_changes_nothing, set_up, tear_down),
		cmocka_unit_test(a_run_without_a_lease_is_nobodys),
		cmocka_unit_test_setup_teardown(a_run_without_phases_takes_a_lease_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(at_the_limit_the_rest_is_left_out_and_said, set_up,
						tear_down),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
