/* What a controller may have an agent touch. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/platform/platform.h"
#include "agent/safety.h"
#include "agent/safety_name.h"
#include "tests/unit/loop_device.h"

static const char *no_devices;
static struct made_files *files;
static int undo_base;

static struct name allowed_paths[2];
static struct name allowed_devices[2];
static char allowed[128], scratch[128];
static struct agent_config config;

/* test_folder: allowed/ (in allow_paths), allowed-not/ (a neighbour), scratch/, spool/. */
static int fresh(void **state)
{
	char spool[128];
	struct error err;

	(void)state;
	undo_base = undo_count;
	snprintf(allowed, sizeof(allowed), "%s/allowed", test_folder);
	snprintf(scratch, sizeof(scratch), "%s/scratch", test_folder);
	snprintf(spool, sizeof(spool), "%s/spool", test_folder);
	allowed_paths[0].name = (char *)"/no/such/entry";
	allowed_paths[1].name = allowed;
	config = (struct agent_config){
		.allow_paths = allowed_paths,
		.allow_paths_count = 2,
		.scratch = scratch,
	};
	if (!run("cd '%s' && mkdir -p allowed/sub allowed-not scratch/sub", test_folder))
		return -1;
	files = made_files_open(spool, &err);
	return files ? 0 : -1;
}

static int clear(void **state)
{
	(void)state;
	made_files_close(files);
	files = NULL;
	if (!undo_to(undo_base))
		return -1;
	return run("rm -rf --one-file-system '%s'/*", test_folder) ? 0 : -1;
}

/* "%A" and "%S" in a path stand for the allowed and the scratch directory. */
static void expand(char out[512], const char *path)
{
	const char *start = strncmp(path, "%A", 2) == 0   ? allowed
			    : strncmp(path, "%S", 2) == 0 ? scratch
							  : "";
	snprintf(out, 512, "%s%s", start, *start ? path + 2 : path);
}

static int ask_file(const char *path, char **file, struct error *err)
{
	struct target target = {.name = (char *)"t", .path = (char *)path};

	struct file_place place;
	int failed = safety_file(&config, files, &target, "h", file, &place, err);

	file_place_close(&place);
	return failed;
}

/* ---- files ---- */

static void paths_that_are_allowed_lead_to_one_file(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"%A", "%A/muster.h.t.data"},
		{"%A/", "%A/muster.h.t.data"},
		{"%A/sub", "%A/sub/muster.h.t.data"},
		{"%A/sub/..", "%A/muster.h.t.data"},
		{"%A/sub/../new", "%A/new"},
		{"%A//new", "%A/new"},
		{"%A/link-in", "%A/sub/muster.h.t.data"},
		{"%S", "%S/muster.h.t.data"},
		{".", "%S/muster.h.t.data"},
		{"sub", "%S/sub/muster.h.t.data"},
		{"sub/../new", "%S/new"},
		{"..data", "%S/..data"},
	};

	(void)state;
	assert_true(run("ln -s sub '%s/link-in'", allowed));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[512], want[512], *file;
		struct error err;
		expand(path, rows[i].path);
		expand(want, rows[i].want);
		if (ask_file(path, &file, &err) < 0)
			fail_msg("%s: %s", rows[i].path, err.text);
		if (strcmp(file, want) != 0)
			fail_msg("%s: %s", rows[i].path, file);
		free(file);
	}
}

static void paths_that_are_not_allowed_are_refused(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"/etc", "does not list it"},
		{"/", "does not list it"},
		{"%A/..", "does not list it"},
		{"%A-not", "does not list it"},
		{"%A/../allowed-not/new", "does not list it"},
		{"%A/link-out", "does not list it"},
		{"%A/link-out/new", "does not list it"},
		{"%A/link-file", "is a symbolic link"},
		{"%A/dangling", "is a symbolic link"},
		{"%A/no/such", "No such file or directory"},
		{"%A/new/", "does not exist"},
		{"%A/theirs", "exists and was not made by muster"},
		{"%A/theirs/new", "Not a directory"},
		{"%A/fifo", "is a fifo"},
		{"/dev/null", "does not list it"},
		{"..", "leads out of the scratch directory"},
		{"../allowed", "leads out of the scratch directory"},
		{"sub/../../allowed/new", "leads out of the scratch directory"},
		{"link-out", "leads out of the scratch directory"},
		{"", "empty path"},
		{"a\nb", "control character 0x0a"},
		{"%A/\x7f", "control character 0x7f"},
	};

	(void)state;
	assert_true(run("cd '%s' && ln -s /etc link-out && ln -s sub/x link-file && ln -s /no/such "
			"dangling && echo precious > theirs && mkfifo fifo && echo a > sub/x && "
			"ln -s ../allowed '%s/link-out'",
			allowed, scratch));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[512], *file;
		struct error err;
		expand(path, rows[i].path);
		if (ask_file(path, &file, &err) == 0)
			fail_msg("%s: was allowed: %s", rows[i].path, file);
		if (!strstr(err.text, rows[i].want) || err.kind != ERROR_REFUSED)
			fail_msg("%s: %s", rows[i].path, err.text);
		assert_null(file);
	}
	char long_path[5000], *file;
	struct error err;
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(ask_file(long_path, &file, &err), -1);
}

/* What is outside of the lists is not told: the words are the same whether it is there or not. */
static void nothing_is_learnt_of_what_is_not_listed(void **state)
{
	static const char *const pairs[][2] = {
		{"/etc/passwd", "/etc/no-such"},
		{"/etc/passwd/x", "/etc/no-such/x"},
		{"/etc/", "/no-such/"},
		{"/etc/.", "/no-such/."},
		{"/etc/ssl/x/y", "/no-such/x/y"},
		{"%A/link-out/passwd/x", "%A/link-out/no-such/x"},
		{"%A/link-out/", "%A/link-to-nothing/no-such/"},
		{"%A/../allowed-not/x", "%A/../no-such/x"},
		{"link-out/passwd/x", "link-out/no-such/x"},
		{"../spool/x", "../no-such/x"},
	};

	(void)state;
	assert_true(
		run("cd '%s' && ln -s /etc link-out && ln -s /no-such-target link-to-nothing && "
		    "ln -s /etc '%s/link-out'",
		    allowed, scratch));
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char text[2][1024];
		for (int k = 0; k < 2; k++) {
			char path[512], *file;
			struct error err;
			expand(path, pairs[i][k]);
			assert_int_equal(ask_file(path, &file, &err), -1);
			char *at = strstr(err.text, path);
			assert_non_null(at);
			snprintf(text[k], sizeof(text[k]), "%.*s%s", (int)(at - err.text), err.text,
				 at + strlen(path));
		}
		if (strcmp(text[0], text[1]) != 0 || strstr(text[0], "/etc"))
			fail_msg("%s: %s\n%s: %s", pairs[i][0], text[0], pairs[i][1], text[1]);
	}
}

static void nothing_listed_is_nothing_allowed(void **state)
{
	struct error err;
	char *file;

	(void)state;
	config.allow_paths_count = 0;
	assert_int_equal(ask_file(allowed, &file, &err), -1);
	assert_int_equal(ask_file("sub", &file, &err), 0);
	free(file);
	config.scratch = NULL;
	assert_int_equal(ask_file("sub", &file, &err), -1);
	assert_non_null(strstr(err.text, "no scratch directory"));
	assert_int_equal(ask_file(scratch, &file, &err), -1);
}

static void what_muster_made_may_be_used_again(void **state)
{
	struct error err;
	char *file, *again;
	int fd;

	(void)state;
	assert_int_equal(ask_file(allowed, &file, &err), 0);
	assert_int_equal(made_files_create(files, file, NULL, &fd, &err), 0);
	close(fd);
	assert_int_equal(ask_file(allowed, &again, &err), 0);
	assert_string_equal(again, file);
	free(again);
	assert_int_equal(ask_file(file, &again, &err), 0);
	assert_string_equal(again, file);
	free(again);
	/* The same name, another file. */
	assert_true(run("cd '%s' && mv '%s' old && echo precious > '%s'", allowed, file, file));
	assert_int_equal(ask_file(allowed, &again, &err), -1);
	assert_non_null(strstr(err.text, "was not made by muster"));
	free(file);
}

/* Between a look and the next one somebody swaps a directory for a link. */
static void a_link_in_a_directorys_place_leads_nowhere(void **state)
{
	struct target target = {.name = (char *)"t", .path = (char *)"sub"};
	struct file_place place, again;
	struct error err;
	char *file, *other;
	int fd;

	(void)state;
	assert_int_equal(safety_file(&config, files, &target, "h", &file, &place, &err), 0);
	assert_true(run("cd '%s' && mkdir allowed-not/sub && mv scratch/sub scratch/old && ln -s "
			"../allowed-not/sub scratch/sub",
			test_folder));
	/* What was checked is what is used: it goes into the directory that was there. */
	assert_int_equal(made_files_create(files, file, &place, &fd, &err), 0);
	close(fd);
	assert_true(run("cd '%s' && test -e scratch/old/muster.h.t.data && test -z "
			"\"$(ls allowed-not/sub)\"",
			test_folder));
	/* Whoever comes by the path comes to the link, and is refused. */
	assert_int_equal(file_place_open(&again, file, &err), -1);
	assert_non_null(strstr(err.text, "symbolic link"));
	assert_true(run("touch '%s'/allowed-not/sub/muster.h.t.data", test_folder));
	assert_int_equal(made_files_remove(files, file, &err), -1);
	assert_true(run("test -e '%s'/allowed-not/sub/muster.h.t.data", test_folder));
	assert_int_equal(safety_file(&config, files, &target, "h", &other, &again, &err), -1);
	assert_non_null(strstr(err.text, "leads out of the scratch directory"));
	file_place_close(&place);
	free(file);
}

static void names_are_of_plain_characters_and_stay_apart(void **state)
{
	static const char *const odd[][2] = {
		{"../../etc", "passwd"}, {"a/b", "t"}, {"a b", "t"},
		{"a\nb", "t"},           {"", ""},     {"a_b", "t"},
		{"\xc3\xa4", "t"},
	};
	char *names[8];
	size_t count = sizeof(odd) / sizeof(odd[0]);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		names[i] = safety_file_name(odd[i][0], odd[i][1]);
		size_t plain = strspn(names[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
						"YZ0123456789._-");
		assert_int_equal(names[i][plain], '\0');
		assert_int_equal(strncmp(names[i], "muster.", 7), 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	char host[300];
	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	char *name = safety_file_name(host, host);
	assert_in_range(strlen(name), 1, 255);
	free(name);
}

/* ---- devices ---- */

static int ask_device(const char *path, const char *destroy, bool write, char **note,
		      struct error *err)
{
	struct target target = {
		.name = (char *)"perc0", .device = (char *)path, .destroy = (char *)destroy};

	*note = NULL;
	struct safety_device found;
	struct platform_openers openers = {0};

	int failed = safety_device(&config, &target, write, &openers, &found, note, err);
	platform_openers_release(&openers);
	free(found.data);
	return failed;
}

static void list_device(const char *path)
{
	allowed_devices[0].name = (char *)"/dev/no-such-entry";
	allowed_devices[1].name = (char *)path;
	config.allow_devices = allowed_devices;
	config.allow_devices_count = 2;
}

/* `code` NULL: none of its own. */
static void refused_as(const char *code, const char *path, const char *destroy, bool write,
		       const char *want)
{
	struct error err;
	char *note;

	if (ask_device(path, destroy, write, &note, &err) == 0)
		fail_msg("'%s' was allowed", path ? path : "(none)");
	if (!strstr(err.text, want) || err.kind != ERROR_REFUSED)
		fail_msg("'%s': wanted '%s', kind %d: %s", path ? path : "(none)", want,
			 (int)err.kind, err.text);
	if (code ? !err.code || strcmp(err.code, code) != 0 : err.code != NULL)
		fail_msg("'%s': code %s, not %s", path ? path : "(none)",
			 err.code ? err.code : "none", code ? code : "none");
	assert_null(note);
}

static void refused(const char *path, const char *destroy, bool write, const char *want)
{
	refused_as(NULL, path, destroy, write, want);
}

static void what_is_no_listed_disk_is_refused(void **state)
{
	char file[160], fifo[160];

	(void)state;
	snprintf(file, sizeof(file), "%s/file", test_folder);
	snprintf(fifo, sizeof(fifo), "%s/fifo", test_folder);
	assert_true(run("echo precious > '%s'; mkfifo '%s'", file, fifo));
	refused("/dev/sdx", NULL, false, "allow_devices: [\"/dev/sdx\"]");
	refused("sdx", NULL, false, "is not a whole path");
	refused("", NULL, false, "is not a whole path");
	refused(NULL, NULL, false, "is not a whole path");
	refused("/dev/a\nb", NULL, false, "is not a whole path");
	const struct {
		const char *path, *want, *code;
	} listed[] = {
		{"/dev/muster-no-such-disk", "does not exist", "NO_SUCH_DEVICE"},
		{"/dev/nul", "does not exist on this host; nearest is '/dev/null'",
		 "NO_SUCH_DEVICE"},
		{file, "is a regular file", "NOT_A_DEVICE"},
		{fifo, "not a device", "NOT_A_DEVICE"},
		{test_folder, "is a directory", "NOT_A_DEVICE"},
		{"/dev/null", "not a disk", "NOT_A_DEVICE"},
	};
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		list_device(listed[i].path);
		refused_as(listed[i].code, listed[i].path, "x", true, listed[i].want);
		refused_as(listed[i].code, listed[i].path, NULL, false, listed[i].want);
	}
	assert_true(run("grep -q precious '%s' && test ! -e /dev/muster-no-such-disk", file));
	/* A regular file in place of a missing device node is no device either. */
	refused_as("NOT_A_DEVICE", "/dev/null", NULL, false, "disk");
}

static void skip_without_devices(void)
{
	if (!no_devices)
		return;
	print_message("skipped: %s\n", no_devices);
	skip();
}

static void identity_of(const char *device, char identity[PLATFORM_IDENTITY_SIZE])
{
	struct error err;
	int fd;

	assert_int_equal(platform_open(device, false, false, &fd, &err), 0);
	assert_true(platform_identity(fd, device, identity));
	close(fd);
}

static void writing_needs_the_identity(void **state)
{
	char device[64], other[64], identity[PLATFORM_IDENTITY_SIZE],
		of_other[PLATFORM_IDENTITY_SIZE], want[PLATFORM_IDENTITY_SIZE + 32], *note;
	struct error err;

	(void)state;
	skip_without_devices();
	assert_true(loop_make("a", 8, device) && loop_make("b", 8, other));
	identity_of(device, identity);
	identity_of(other, of_other);
	list_device(device);
	assert_int_equal(ask_device(device, NULL, false, &note, &err), 0);
	assert_null(note);
	snprintf(want, sizeof(want), "destroy: \"%s\"", identity);
	refused_as("NOT_ARMED", device, NULL, true, want);
	refused_as("NOT_ARMED", device, "", true, want);
	refused_as("NOT_ARMED", device, of_other, true, want);
	refused_as("NOT_ARMED", device, of_other, true, of_other);
	identity[strlen(identity) - 1] ^= 1;
	refused_as("NOT_ARMED", device, identity, true, want);
	identity[strlen(identity) - 1] ^= 1;
	assert_int_equal(ask_device(device, identity, true, &note, &err), 0);
	assert_null(note);
	refused(other, of_other, true, "is not listed");
}

static void the_identity_is_printed_as_yaml_takes_it(void **state)
{
	char device[64];

	(void)state;
	skip_without_devices();
	assert_true(loop_make("quo\"te\\", 8, device));
	list_device(device);
	refused_as("NOT_ARMED", device, NULL, true, "/quo\\\"te\\\\:");
}

static void any_name_of_a_listed_device_is_listed(void **state)
{
	char device[64], link[160], far_link[160], *note;
	struct error err;

	(void)state;
	skip_without_devices();
	assert_true(loop_make("a", 8, device));
	snprintf(link, sizeof(link), "%s/ata-X:0:1", test_folder);
	snprintf(far_link, sizeof(far_link), "%s/other", test_folder);
	assert_true(run("ln -s '%s' '%s'; ln -s '%s' '%s'", device, link, link, far_link));
	list_device(link);
	assert_int_equal(ask_device(device, NULL, false, &note, &err), 0);
	assert_int_equal(ask_device(far_link, NULL, false, &note, &err), 0);
	list_device(device);
	assert_int_equal(ask_device(link, NULL, false, &note, &err), 0);
}

static void an_empty_device_is_refused(void **state)
{
	char device[64];

	(void)state;
	skip_without_devices();
	assert_true(loop_make("none", 8, device));
	list_device(device);
	assert_true(run("truncate -s 0 '%s/none' && losetup -c '%s'", test_folder, device));
	refused_as("ZERO_SIZE", device, NULL, false, "0 bytes");
}

static void a_device_in_use_is_read_with_a_note_and_never_written(void **state)
{
	char device[64], point[128], identity[PLATFORM_IDENTITY_SIZE], *note;
	struct error err;

	(void)state;
	skip_without_devices();
	assert_true(loop_make("a", 64, device));
	identity_of(device, identity);
	list_device(device);
	if (!run("mkfs.ext4 -q '%s'", device)) {
		print_message("skipped: mkfs.ext4 is missing\n");
		skip();
	}
	refused_as("TARGET_HAS_DATA", device, NULL, true, "ext4");
	/* A file system that nothing uses is what `destroy` is for. */
	assert_int_equal(ask_device(device, identity, true, &note, &err), 0);
	assert_true(mount_make("m", device, point));
	refused_as("TARGET_IN_USE", device, identity, true, "whatever the plan says");
	refused_as("TARGET_IN_USE", device, NULL, true, "is mounted on");
	assert_int_equal(ask_device(device, NULL, false, &note, &err), 0);
	assert_non_null(note);
	assert_non_null(strstr(note, "is mounted on"));
	free(note);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_that_are_allowed_lead_to_one_file),
		TEST(paths_that_are_not_allowed_are_refused),
		TEST(nothing_is_learnt_of_what_is_not_listed),
		TEST(nothing_listed_is_nothing_allowed),
		TEST(what_muster_made_may_be_used_again),
		TEST(a_link_in_a_directorys_place_leads_nowhere),
		TEST(names_are_of_plain_characters_and_stay_apart),
		TEST(what_is_no_listed_disk_is_refused),
		TEST(writing_needs_the_identity),
		TEST(the_identity_is_printed_as_yaml_takes_it),
		TEST(any_name_of_a_listed_device_is_listed),
		TEST(an_empty_device_is_refused),
		TEST(a_device_in_use_is_read_with_a_note_and_never_written),
	};

	test_folder_make();
	no_devices = no_loop_devices();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
