/* The lay-out writes what is missing, all of it and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "agent/layout.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "tests/unit/loop_device.h"

static const struct pattern_shape plain;

#define SIZE (5 * 1024 * 1024 + 512)
static char path[128];
static struct target target = {.name = "t"};
static struct part part, *parts[] = {&part};
static struct written *written;
static atomic_bool cancel;
static const struct layout_data made_of = {.seed = 1, .host = "h"};

static int set_up(void **state)
{
	struct error err;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", test_folder);
	part = (struct part){
		.target = &target, .kind = PART_FILE, .path = path, .used_bytes = SIZE};
	if (file_place_open(&part.place, path, &err))
		return -1;
	part.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (part.fd < 0 || platform_storage(part.fd, path, &part.storage, &err))
		return -1;
	written = written_new();
	atomic_store(&cancel, false);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	written_free(written);
	file_place_close(&part.place);
	return close(part.fd);
}

static int lay_out(struct error *err)
{
	struct layout layout = {0};
	struct progress progress;
	const char *at = NULL;
	uint64_t moved;

	layout_init(&layout, parts, 1, written, &made_of, &cancel);
	assert_true(layout_is_needed(&layout));
	assert_false(layout_progress(&layout, &progress, &moved));
	int failed = layout_run(&layout, &at, err);
	if (failed)
		assert_string_equal(at, "t");
	assert_false(layout_progress(&layout, &progress, &moved));
	layout_record(&layout, written);
	layout_release(&layout);
	return failed;
}

static char *read_all(void)
{
	char *data = mem_new(SIZE, 1);

	assert_int_equal(pread(part.fd, data, SIZE, 0), SIZE);
	return data;
}

static void an_empty_file_is_written_whole(void **state)
{
	(void)state;
	struct error err = {0};
	if (lay_out(&err))
		fail_msg("%s", err.text);
	char *data = read_all();
	assert_int_equal(
		pattern_check(data, SIZE, pattern_key(1, pattern_owner("h", "t"), 0, plain), 0),
		SIZE);
	free(data);
	assert_int_equal(written_missing(written, path, SIZE), 0);
	assert_int_equal(written_generation(written, path), 1);
	struct layout layout = {0};
	layout_init(&layout, parts, 1, written, &made_of, &cancel);
	assert_false(layout_is_needed(&layout));
	layout_release(&layout);
}

static void only_gaps_are_written(void **state)
{
	(void)state;
	struct error err = {0};
	char *data = mem_new(SIZE, 1);
	memset(data, 'x', SIZE);
	assert_int_equal(pwrite(part.fd, data, SIZE, 0), SIZE);
	free(data);
	static const struct written_range had_before[] = {
		{.from = 1024, .to = 2 * 1024 * 1024 + 512, .owner = 5},
		{.from = 4 * 1024 * 1024, .to = 4 * 1024 * 1024 + 4096, .owner = 5}};
	written_set(written, path, &had_before[0]);
	written_set(written, path, &had_before[1]);
	if (lay_out(&err))
		fail_msg("%s", err.text);
	data = read_all();
	struct pattern_key key = pattern_key(1, pattern_owner("h", "t"), 0, plain);
	for (uint64_t at = 0; at < SIZE; at += 512) {
		bool had = (at >= 1024 && at < 2 * 1024 * 1024 + 512) ||
			   (at >= 4 * 1024 * 1024 && at < 4 * 1024 * 1024 + 4096);
		assert_int_equal(pattern_check(data + at, 512, key, at) == 512, !had);
		for (int i = 0; had && i < 512; i++)
			assert_int_equal(data[at + i], 'x');
	}
	uint32_t count;
	const struct written_range *ranges = written_ranges(written, path, &count);
	assert_int_equal(count, 5);
	for (uint32_t i = 0; i < count; i++)
		assert_true(ranges[i].owner == (i % 2 ? 5 : pattern_owner("h", "t")));
	free(data);
}

static void a_cancelled_one_remembers_no_more_than_it_wrote(void **state)
{
	(void)state;
	struct error err = {0};
	atomic_store(&cancel, true);
	assert_int_equal(lay_out(&err), -1);
	assert_non_null(strstr(err.text, "stopped"));
	assert_int_equal(written_missing(written, path, SIZE), SIZE);
}

static void another_file_at_the_path_is_not_touched(void **state)
{
	(void)state;
	struct error err = {0};
	struct stat st;
	assert_true(run("rm '%s' && : > '%s'", path, path));
	assert_int_equal(lay_out(&err), -1);
	assert_non_null(strstr(err.text, "another file"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void a_write_that_fails_is_told_and_what_was_before_it_is_kept(void **state)
{
	(void)state;
	struct error err = {0};
	struct rlimit old, limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 3 * 1024 * 1024;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int failed = lay_out(&err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(failed, -1);
	assert_int_equal(err.kind, ERROR_BROKEN);
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	assert_int_equal(written_missing(written, path, SIZE), SIZE - 3 * 1024 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_file_is_written_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_gaps_are_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cancelled_one_remembers_no_more_than_it_wrote,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_file_at_the_path_is_not_touched, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_write_that_fails_is_told_and_what_was_before_it_is_kept, set_up,
			tear_down),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
