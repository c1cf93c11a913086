/* Which files muster made, through restarts, crashes and damage. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/made_files.h"
#include "agent/made_list.h"
#include "agent/platform/platform.h"
#include "tests/unit/loop_device.h"

static char spool[128], work[128];

static int fresh(void **state)
{
	(void)state;
	snprintf(spool, sizeof(spool), "%s/deep/spool", test_folder);
	snprintf(work, sizeof(work), "%s/work", test_folder);
	return run("rm -rf '%s'/* && mkdir '%s'", test_folder, work) ? 0 : -1;
}

static struct made_files *open_files(void)
{
	struct error err;
	struct made_files *files = made_files_open(spool, &err);

	if (!files)
		fail_msg("%s", err.text);
	return files;
}

static struct made_files *reopen_files(struct made_files *files)
{
	made_files_close(files);
	return open_files();
}

static const char *in_work(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	return path;
}

static void create(struct made_files *files, const char *path)
{
	struct error err;
	int fd;

	if (made_files_create(files, path, NULL, &fd, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

struct seen {
	int removed, failed;
};

static void see(void *context, const char *path, const char *error)
{
	struct seen *seen = context;

	assert_int_equal(path[0], '/');
	seen->removed += !error;
	seen->failed += error != NULL;
}

static struct seen remove_all(struct made_files *files)
{
	struct seen seen = {0};

	made_files_remove_all(files, see, &seen);
	return seen;
}

static void a_made_file_is_known_after_a_restart(void **state)
{
	struct stat st;

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("name with  blanks"));
	assert_int_equal(stat(in_work("name with  blanks"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(made_files_has(files, in_work("name with  blanks"), NULL));
	files = reopen_files(files);
	files = reopen_files(files);
	assert_true(made_files_has(files, in_work("name with  blanks"), NULL));
	assert_false(made_files_has(files, in_work("name with"), NULL));
	assert_null(made_files_warning(files));
	assert_int_equal(remove_all(files).removed, 1);
	assert_int_not_equal(access(in_work("name with  blanks"), F_OK), 0);
	made_files_close(files);
}

static void foreign_files_are_neither_taken_nor_removed(void **state)
{
	struct error err;
	int fd;

	(void)state;
	struct made_files *files = open_files();
	assert_true(run("echo precious > '%s'", in_work("theirs")));
	assert_int_equal(made_files_create(files, in_work("theirs"), NULL, &fd, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "exists and was not made by muster"));
	assert_int_equal(made_files_remove(files, in_work("theirs"), &err), -1);
	/* A link is not followed, whether it leads to something or not. */
	assert_int_equal(symlink("/no/such", in_work("link")), 0);
	assert_int_equal(made_files_create(files, in_work("link"), NULL, &fd, &err), -1);
	files = reopen_files(files);
	assert_false(made_files_has(files, in_work("theirs"), NULL));
	assert_int_equal(remove_all(files).removed, 0);
	assert_true(run("grep -q precious '%s'", in_work("theirs")));
	made_files_close(files);
}

static void another_file_in_its_place_is_foreign(void **state)
{
	struct error err;

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	/* The old one stays under another name, so that the inode cannot be the same. */
	assert_true(run("cd '%s' && mv a b && echo precious > a", work));
	assert_false(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(made_files_remove(files, in_work("a"), &err), -1);
	assert_non_null(strstr(err.text, "another file"));
	assert_true(run("grep -q precious '%s'", in_work("a")));
	made_files_close(files);
}

/* What ext4 and XFS do with the inode of a removed file. */
static void a_file_with_the_inode_of_a_removed_one_is_foreign(void **state)
{
	struct stat before, after = {0};

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	assert_int_equal(stat(in_work("a"), &before), 0);
	for (int i = 0; i < 20 && after.st_ino != before.st_ino; i++) {
		assert_true(run("cd '%s' && rm -f a && sleep 0.01 && echo precious > a", work));
		assert_int_equal(stat(in_work("a"), &after), 0);
	}
	if (after.st_ino != before.st_ino || !platform_born_ns(AT_FDCWD, in_work("a"))) {
		made_files_close(files);
		print_message("this file system does not give out inodes again\n");
		skip();
	}
	assert_false(made_files_has(files, in_work("a"), NULL));
	files = reopen_files(files);
	assert_false(made_files_has(files, in_work("a"), NULL));
	remove_all(files);
	assert_true(run("grep -q precious '%s'", in_work("a")));
	made_files_close(files);
}

static void a_file_that_is_there_is_not_lost_by_making_it_again(void **state)
{
	struct error err;
	int fd;

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	assert_int_equal(made_files_create(files, in_work("a"), NULL, &fd, &err), -1);
	files = reopen_files(files);
	assert_true(made_files_has(files, in_work("a"), NULL));
	made_files_close(files);
}

static void what_is_kept_stays_and_stays_known(void **state)
{
	struct error err;

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	create(files, in_work("b"));
	create(files, in_work("c"));
	made_files_keep(files, in_work("b"));
	made_files_keep(files, in_work("never made"));
	files = reopen_files(files);
	struct seen seen = remove_all(files);
	assert_int_equal(seen.removed, 2);
	assert_int_equal(seen.failed, 0);
	files = reopen_files(files);
	assert_true(made_files_has(files, in_work("b"), NULL));
	assert_int_equal(made_files_remove(files, in_work("b"), &err), 0);
	assert_int_not_equal(access(in_work("b"), F_OK), 0);
	made_files_close(files);
}

static void what_was_kept_goes_when_that_is_taken_back(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	create(files, in_work("b"));
	made_files_keep_all(files);
	files = reopen_files(files);
	made_files_drop(files, in_work("a"));
	made_files_drop(files, in_work("never made"));
	files = reopen_files(files);
	struct seen seen = remove_all(files);
	assert_int_equal(seen.removed, 1);
	assert_int_not_equal(access(in_work("a"), F_OK), 0);
	assert_true(made_files_has(files, in_work("b"), NULL));
	made_files_close(files);
}

static void a_file_that_went_by_itself_is_forgotten(void **state)
{
	struct error err;

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	unlink(in_work("a"));
	assert_false(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(made_files_remove(files, in_work("a"), &err), 0);
	create(files, in_work("a"));
	assert_true(made_files_has(files, in_work("a"), NULL));
	made_files_close(files);
}

static void a_file_that_cannot_be_removed_is_told_and_stays_known(void **state)
{
	(void)state;
	if (geteuid() != 0 || !has_tool("mount")) {
		print_message("skipped: a read-only mount needs root\n");
		skip();
	}
	struct made_files *files = open_files();
	assert_true(run("mkdir -p '%s'", in_work("m")));
	if (!run("mount -t tmpfs muster-test '%s'", in_work("m"))) {
		made_files_close(files);
		print_message("skipped: cannot mount a tmpfs\n");
		skip();
	}
	int before = undo_count;
	undo_later("umount '%s'", in_work("m"));
	create(files, in_work("m/a"));
	assert_true(run("mount -o remount,ro '%s'", in_work("m")));
	struct seen seen = remove_all(files);
	bool known = made_files_has(files, in_work("m/a"), NULL);
	assert_true(undo_to(before));
	assert_int_equal(seen.failed, 1);
	assert_int_equal(seen.removed, 0);
	assert_true(known);
	made_files_close(files);
}

static void names_that_a_line_cannot_hold_are_refused(void **state)
{
	struct error err;
	int fd;

	(void)state;
	struct made_files *files = open_files();
	assert_int_equal(made_files_create(files, in_work("a\nb"), NULL, &fd, &err), -1);
	assert_int_equal(made_files_create(files, "relative", NULL, &fd, &err), -1);
	assert_int_equal(made_files_create(files, "", NULL, &fd, &err), -1);
	assert_int_equal(made_files_create(files, "/no/such/directory/file", NULL, &fd, &err), -1);
	assert_non_null(strstr(err.text, "/no/such/directory"));
	made_files_close(files);
}

static void a_spool_has_one_owner(void **state)
{
	struct error err;
	char pid[32];

	(void)state;
	struct made_files *files = open_files();
	assert_null(made_files_open(spool, &err));
	snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
	assert_non_null(strstr(err.text, pid));
	assert_non_null(strstr(err.text, spool));
	made_files_close(files);
	made_files_close(open_files());
	made_files_close(NULL);
}

static void a_spool_that_cannot_be_is_an_error(void **state)
{
	struct error err;
	char file[160];

	(void)state;
	snprintf(file, sizeof(file), "%s/file", test_folder);
	assert_true(run("echo a > '%s'", file));
	assert_null(made_files_open(file, &err));
	assert_non_null(strstr(err.text, file));
	assert_true(run("mkdir -p '%s/made.journal'", spool));
	assert_null(made_files_open(spool, &err));
	assert_non_null(strstr(err.text, "made.journal"));
}

/* ---- other devices ---- */

/* What the journal, of one file, is written anew with. */
enum change {
	CHANGE_DEVICE,        /* as after another mount of btrfs */
	CHANGE_DEVICE_UNBORN, /* the same, on a file system that does not know birth times */
	CHANGE_OLD,           /* as written before directories were recorded */
};

static struct made_files *reopen_changed(struct made_files *files, enum change change)
{
	uint64_t device, inode, born_ns, directory, directory_born_ns;
	char path[160], line[512] = "", place[256] = "", event[512];

	made_files_close(files);
	snprintf(path, sizeof(path), "%s/made.journal", spool);
	FILE *journal = fopen(path, "r+");
	assert_non_null(journal);
	while (!strstr(line, " made "))
		assert_non_null(fgets(line, sizeof(line), journal));
	assert_int_equal(sscanf(line + 9,
				"made %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
				" %255[^\n]",
				&device, &inode, &born_ns, &directory, &directory_born_ns, place),
			 6);
	if (change == CHANGE_OLD)
		snprintf(event, sizeof(event), "made %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
			 device, inode, born_ns, place);
	else
		snprintf(event, sizeof(event),
			 "made %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
			 device + 1, inode, change == CHANGE_DEVICE_UNBORN ? 0 : born_ns, directory,
			 directory_born_ns, place);
	char *changed = made_list_line(event);
	assert_int_equal(ftruncate(fileno(journal), 0), 0);
	rewind(journal);
	fputs(changed, journal);
	free(changed);
	assert_int_equal(fclose(journal), 0);
	files = open_files();
	assert_null(made_files_warning(files));
	return files;
}

static void count_left(void *context, const char *path)
{
	(void)path;
	++*(int *)context;
}

static int left_of(const struct made_files *files)
{
	int left = 0;

	made_files_each_left(files, count_left, &left);
	return left;
}

static void a_file_is_known_on_a_device_of_another_number(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	if (!platform_born_ns(AT_FDCWD, in_work("a"))) {
		made_files_close(files);
		print_message("this file system does not say when a file was made\n");
		skip();
	}
	files = reopen_changed(files, CHANGE_DEVICE);
	assert_true(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(remove_all(files).removed, 1);
	assert_int_not_equal(access(in_work("a"), F_OK), 0);
	made_files_close(files);
}

static void another_file_on_a_device_of_another_number_is_foreign(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	assert_true(run("cd '%s' && mv a b && echo precious > a", work));
	files = reopen_changed(files, CHANGE_DEVICE);
	assert_false(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(remove_all(files).failed, 1);
	assert_true(run("grep -q precious '%s'", in_work("a")));
	assert_int_equal(left_of(files), 0);
	made_files_close(files);
}

static void without_birth_times_another_device_is_not_known_to_be_the_same(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	files = reopen_changed(files, CHANGE_DEVICE_UNBORN);
	assert_false(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(remove_all(files).failed, 1);
	assert_int_equal(access(in_work("a"), F_OK), 0);
	assert_int_equal(left_of(files), 1);
	/* By hand. */
	unlink(in_work("a"));
	assert_int_equal(remove_all(files).removed, 1);
	assert_int_equal(left_of(files), 0);
	made_files_close(files);
}

static void what_an_older_journal_says_holds(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	files = reopen_changed(files, CHANGE_OLD);
	files = reopen_files(files);
	assert_true(made_files_has(files, in_work("a"), NULL));
	assert_int_equal(remove_all(files).removed, 1);
	assert_int_not_equal(access(in_work("a"), F_OK), 0);
	made_files_close(files);
}

static void a_directory_that_is_gone_takes_its_files_along(void **state)
{
	(void)state;
	struct made_files *files = open_files();
	assert_true(run("mkdir -p '%s'", in_work("d/e")));
	create(files, in_work("d/e/a"));
	assert_true(run("rm -r '%s'", in_work("d")));
	assert_int_equal(remove_all(files).removed, 1);
	assert_int_equal(left_of(files), 0);
	/* Of another device it may be hidden only. */
	assert_true(run("mkdir -p '%s'", in_work("d/e")));
	create(files, in_work("d/e/a"));
	assert_true(run("rm -r '%s'", in_work("d")));
	files = reopen_changed(files, CHANGE_DEVICE);
	assert_int_equal(remove_all(files).failed, 1);
	assert_int_equal(left_of(files), 1);
	made_files_close(files);
}

static void a_file_whose_file_system_is_not_mounted_stays_known(void **state)
{
	struct error err;
	int fd;

	(void)state;
	if (geteuid() != 0 || !has_tool("mount")) {
		print_message("skipped: a mount needs root\n");
		skip();
	}
	struct made_files *files = open_files();
	assert_true(run("mkdir -p '%s'", in_work("m")));
	if (!run("mount -t tmpfs muster-test '%s'", in_work("m"))) {
		made_files_close(files);
		print_message("skipped: cannot mount a tmpfs\n");
		skip();
	}
	int before = undo_count;
	undo_later("umount '%s'", in_work("m"));
	create(files, in_work("m/a"));
	assert_true(undo_to(before));
	files = reopen_files(files);
	assert_int_equal(remove_all(files).failed, 1);
	assert_int_equal(left_of(files), 1);
	/* Another of the same path would have it forgotten. */
	assert_int_equal(made_files_create(files, in_work("m/a"), NULL, &fd, &err), -1);
	assert_non_null(strstr(err.text, "not mounted there now"));
	assert_int_not_equal(access(in_work("m/a"), F_OK), 0);
	/* Somebody else's in its place neither goes nor has it forgotten. */
	assert_true(run("echo precious > '%s'", in_work("m/a")));
	assert_int_equal(remove_all(files).failed, 1);
	assert_true(run("grep -q precious '%s'", in_work("m/a")));
	files = reopen_files(files);
	assert_int_equal(left_of(files), 1);
	made_files_close(files);
}

/* ---- crashes and damage ---- */

static void append(const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/made.journal", spool);
	FILE *journal = fopen(path, "a");
	assert_non_null(journal);
	fputs(text, journal);
	fclose(journal);
}

static bool was_put_aside(unsigned number)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/made.journal.bad.%u", spool, number);
	return access(path, F_OK) == 0;
}

static void a_torn_last_line_is_left_out_quietly(void **state)
{
	static const char *const ends[] = {"0", "deadbeef", "deadbeef made 1", "\xff\xfe"};

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		made_files_close(files);
		append(ends[i]);
		files = open_files();
		assert_null(made_files_warning(files));
		assert_true(made_files_has(files, in_work("a"), NULL));
	}
	create(files, in_work("b"));
	files = reopen_files(files);
	assert_true(made_files_has(files, in_work("b"), NULL));
	assert_false(was_put_aside(1));
	made_files_close(files);
}

static void damage_is_told_and_kept_aside(void **state)
{
	static const char *const damage[] = {
		"garbage\n",
		"\n",
		"00000000 made 1 1 /etc/passwd\n",
		"deadbeef gone /x\n\xff\xff\xff\n",
	};

	(void)state;
	struct made_files *files = open_files();
	create(files, in_work("a"));
	for (unsigned i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		made_files_close(files);
		append(damage[i]);
		files = open_files();
		assert_non_null(made_files_warning(files));
		assert_non_null(strstr(made_files_warning(files), "made.journal.bad."));
		assert_true(was_put_aside(i + 1));
		assert_true(made_files_has(files, in_work("a"), NULL));
		assert_false(made_files_has(files, "/etc/passwd", NULL));
	}
	files = reopen_files(files);
	assert_null(made_files_warning(files));
	made_files_close(files);
}

/* The line that made_files_create writes first, in a journal of its own. */
static void leave_wanted(const char *path)
{
	uint32_t sum = UINT32_C(2166136261);
	char event[300], line[320];

	snprintf(event, sizeof(event), "want %s", path);
	for (const char *c = event; *c; c++)
		sum = (sum ^ (unsigned char)*c) * UINT32_C(16777619);
	snprintf(line, sizeof(line), "%08x %s\n", sum, event);
	append(line);
}

static void a_crash_in_the_midst_of_making_leaves_no_orphan(void **state)
{
	(void)state;
	made_files_close(open_files());
	/* Made and empty: ours. With something in it, or not as we make them: somebody else's. */
	leave_wanted(in_work("empty"));
	leave_wanted(in_work("full"));
	leave_wanted(in_work("open to all"));
	leave_wanted(in_work("not there"));
	assert_true(run("cd '%s' && umask 077 && touch empty && echo a > full && "
			"touch 'open to all' && chmod 644 'open to all'",
			work));
	struct made_files *files = open_files();
	assert_null(made_files_warning(files));
	assert_true(made_files_has(files, in_work("empty"), NULL));
	assert_false(made_files_has(files, in_work("full"), NULL));
	assert_false(made_files_has(files, in_work("open to all"), NULL));
	assert_false(made_files_has(files, in_work("not there"), NULL));
	made_files_close(files);
}

static void the_journal_does_not_grow_for_ever(void **state)
{
	char path[160];
	struct error err;
	struct stat st;

	(void)state;
	struct made_files *files = open_files();
	for (int i = 0; i < 50; i++) {
		create(files, in_work("a"));
		assert_int_equal(made_files_remove(files, in_work("a"), &err), 0);
	}
	files = reopen_files(files);
	snprintf(path, sizeof(path), "%s/made.journal", spool);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	made_files_close(files);
}

static void a_full_spool_makes_nothing(void **state)
{
	struct error err;
	int fd = -1, made = 0;

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: mounting a small tmpfs needs root\n");
		skip();
	}
	assert_true(run("mkdir -p '%s'", spool));
	if (!run("mount -t tmpfs -o size=16k,mode=0700 muster-test '%s'", spool)) {
		print_message("skipped: cannot mount a tmpfs\n");
		skip();
	}
	int before = undo_count;
	undo_later("umount '%s'", spool);
	struct made_files *files = open_files();
	assert_true(run("head -c 64k /dev/zero > '%s/filler'; true", spool));
	for (; made < 1000; made++) {
		char name[32];
		snprintf(name, sizeof(name), "f%d", made);
		if (made_files_create(files, in_work(name), NULL, &fd, &err) < 0)
			break;
		close(fd);
	}
	bool left = run("test -e '%s/f%d'", work, made);
	/* What was known before is known still, and goes again. */
	bool whole = run("rm '%s/filler'", spool);
	files = reopen_files(files);
	const char *warning = made_files_warning(files);
	int removed = remove_all(files).removed;
	made_files_close(files);
	assert_true(undo_to(before));
	assert_true(whole);
	assert_in_range(made, 0, 999);
	assert_false(left);
	assert_null(warning);
	assert_int_equal(removed, made);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_made_file_is_known_after_a_restart),
		TEST(foreign_files_are_neither_taken_nor_removed),
		TEST(another_file_in_its_place_is_foreign),
		TEST(a_file_with_the_inode_of_a_removed_one_is_foreign),
		TEST(a_file_that_is_there_is_not_lost_by_making_it_again),
		TEST(what_is_kept_stays_and_stays_known),
		TEST(what_was_kept_goes_when_that_is_taken_back),
		TEST(a_file_that_went_by_itself_is_forgotten),
		TEST(a_file_that_cannot_be_removed_is_told_and_stays_known),
		TEST(names_that_a_line_cannot_hold_are_refused),
		TEST(a_spool_has_one_owner),
		TEST(a_spool_that_cannot_be_is_an_error),
		TEST(a_file_is_known_on_a_device_of_another_number),
		TEST(another_file_on_a_device_of_another_number_is_foreign),
		TEST(without_birth_times_another_device_is_not_known_to_be_the_same),
		TEST(what_an_older_journal_says_holds),
		TEST(a_directory_that_is_gone_takes_its_files_along),
		TEST(a_file_whose_file_system_is_not_mounted_stays_known),
		TEST(a_torn_last_line_is_left_out_quietly),
		TEST(damage_is_told_and_kept_aside),
		TEST(a_crash_in_the_midst_of_making_leaves_no_orphan),
		TEST(the_journal_does_not_grow_for_ever),
		TEST(a_full_spool_makes_nothing),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
