/* Phases on real block devices and on a disk that is small: loop devices, made and undone here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "agent/part.h"
#include "agent/platform/platform.h"
#include "common/pattern.h"
#include "tests/unit/phase_scene.h"

static const struct pattern_shape plain;

static struct scene scene;
static char work[128], device[2][64], identity[2][PLATFORM_IDENTITY_SIZE];

static int set_up(void **state)
{
	(void)state;
	scene_init(&scene, work);
	for (int i = 0; i < 2; i++)
		scene.allowed_devices[i].name = device[i];
	scene.config.allow_devices_count = 2;
	scene.prepare.phase.direct = PHASE_DIRECT_TRUE;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scene_release(&scene);
	return 0;
}

static struct target *add_device(const char *name, int which, bool armed, bool used)
{
	struct target *target = scene_target(&scene, name, used);

	target->device = device[which];
	target->destroy = armed ? identity[which] : NULL;
	return target;
}

/* FNV-1a of all of a device. */
static uint64_t digest(const char *path)
{
	static char data[64 * 1024];
	uint64_t hash = RECORD_FINGERPRINT_START;
	int fd = open(path, O_RDONLY);
	ssize_t got;

	assert_true(fd >= 0);
	while ((got = read(fd, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	close(fd);
	return hash;
}

static void reading_changes_nothing_armed_or_not(void **state)
{
	(void)state;
	for (int armed = 0; armed < 2; armed++) {
		struct timeline timeline;
		struct done done;
		scene.prepare.targets_count = scene.prepare.phase.targets_count = 0;
		add_device("d", 0, armed, true);
		uint64_t before = digest(device[0]);
		scene.prepare.phase.size_bytes = 32 * MIB;
		struct phase_run *phase = scene_ready(&scene);
		assert_int_equal(phase_run_ready(phase)->targets[0].extent_bytes, 16 * MIB);
		assert_int_equal(phase_run_ready(phase)->targets[0].io, TARGET_IO_DIRECT);
		scene_finish(phase, &timeline, &done);
		assert_int_equal(done.state, DONE_COMPLETE);
		assert_int_equal(done.targets[0].bytes_read, 32 * MIB);
		assert_int_equal(done.targets[0].passes, 2);
		assert_true(done.devices_count >= 1);
		assert_int_equal(done.devices[0].read_after - done.devices[0].read_before,
				 32 * MIB);
		scene_free(&timeline, &done);
		assert_int_equal(digest(device[0]), before);
	}
}

static void writing_needs_the_identity(void **state)
{
	(void)state;
	struct target *target = add_device("d", 0, false, true);
	uint64_t before = digest(device[0]);
	static const char *const wrong[] = {NULL, "", "sda"};
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 4 * MIB;
	for (int i = 0; i < 3; i++) {
		target->destroy = (char *)wrong[i];
		free(scene_refusal(&scene));
	}
	target->destroy = identity[1]; /* another device's */
	free(scene_refusal(&scene));
	assert_int_equal(digest(device[0]), before);
}

static void an_armed_device_is_written(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	add_device("d", 0, true, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 16 * MIB;
	scene.prepare.phase.sync = PHASE_SYNC_END;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_int_equal(done.state, DONE_COMPLETE);
	assert_int_equal(done.targets[0].bytes_written, 16 * MIB);
	assert_int_equal(done.devices[0].written_after - done.devices[0].written_before, 16 * MIB);
	scene_free(&timeline, &done);
	char *data = mem_new(16 * MIB, 1);
	int fd = open(device[0], O_RDONLY);
	assert_int_equal(pread(fd, data, 16 * MIB, 0), 16 * MIB);
	close(fd);
	assert_int_equal(
		pattern_check(data, 16 * MIB, pattern_key(7, pattern_owner("h", "d"), 0, plain), 0),
		16 * MIB);
	free(data);
}

/* A device is not laid out: what is not written cannot be verified. */
static void a_device_is_verified_where_it_was_written(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	add_device("d", 0, true, true);
	scene.prepare.phase.op = PHASE_OP_READ;
	scene.prepare.phase.size_bytes = 8 * MIB;
	scene.prepare.phase.verify = true;
	scene.prepare.phase.engine = PHASE_ENGINE_SYNC;
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "cannot be verified"));
	assert_non_null(strstr(text, "at offset 0"));
	free(text);
	for (int i = 0; i < 2; i++) {
		scene.prepare.phase.op = i ? PHASE_OP_READ : PHASE_OP_WRITE;
		scene.prepare.phase.verify = i == 1;
		scene_finish(scene_ready(&scene), &timeline, &done);
		assert_int_equal(done.state, DONE_COMPLETE);
		assert_int_equal(done.targets[0].miscompares.verified_bytes, i * 8 * MIB);
		assert_int_equal(done.targets[0].miscompares.blocks, 0);
		scene_free(&timeline, &done);
	}
	scene.prepare.phase.size_bytes = 9 * MIB;
	text = scene_refusal(&scene);
	assert_non_null(strstr(text, "at offset 8388608"));
	free(text);
}

/* Whether this process has `path` open. */
static bool is_open(const char *path)
{
	char link[64], target[256];

	for (int fd = 0; fd < 256; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		if (strcmp(target, path) == 0)
			return true;
	}
	return false;
}

/* The last close of a device writes what is dirty; the session must not wait for that. */
static void a_device_is_closed_when_its_phase_has_ended(void **state)
{
	(void)state;
	struct timeline timeline = {0};
	add_device("d", 0, true, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 4 * MIB;
	struct phase_run *phase = scene_ready(&scene);
	assert_true(is_open(device[0]));
	scene_start(phase, 0);
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, &timeline), PHASE_RUN_ENDED);
	assert_false(is_open(device[0]));
	phase_run_free(phase);
	record_release(&timeline_table, &timeline);
}

static void a_size_over_the_device_is_refused(void **state)
{
	(void)state;
	add_device("d", 0, false, true)->size_bytes = 17 * MIB;
	scene.prepare.phase.size_bytes = MIB;
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "16777216"));
	free(text);
}

/* A stripe over devices, and one of its parts by itself: each device is opened once, and named
 * with all the targets that use it. */
static void a_stripe_over_devices_reads_both(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	struct name parts[] = {{"d"}, {"e"}};
	add_device("d", 0, true, true);
	add_device("e", 1, true, false);
	struct target *stripe = scene_target(&scene, "s", true);
	stripe->stripe = parts;
	stripe->stripe_count = 2;
	uint64_t before = digest(device[0]) ^ digest(device[1]);
	scene.prepare.phase.size_bytes = 32 * MIB;
	scene.prepare.phase.block_size = MIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_int_equal(done.state, DONE_COMPLETE);
	assert_int_equal(done.targets[1].bytes_read, 32 * MIB);
	assert_int_equal(digest(device[0]) ^ digest(device[1]), before);
	uint32_t seen = 0;
	for (uint32_t i = 0; i < done.devices_count; i++) {
		const struct done_device *d = &done.devices[i];
		if (!strcmp(d->device, device[0] + strlen("/dev/"))) {
			assert_int_equal(d->targets_count, 2);
			assert_int_equal(d->read_after - d->read_before, 48 * MIB);
			seen++;
		} else if (!strcmp(d->device, device[1] + strlen("/dev/"))) {
			assert_int_equal(d->targets_count, 1);
			assert_string_equal(d->targets[0].name, "s");
			assert_int_equal(d->read_after - d->read_before, 16 * MIB);
			seen++;
		}
	}
	assert_int_equal(seen, 2);
	scene_free(&timeline, &done);
}

static void one_device_by_two_names_is_not_written(void **state)
{
	(void)state;
	add_device("d", 0, true, true);
	add_device("e", 0, true, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "'d' and 'e'"));
	free(text);
}

/* ---- a disk that fills ---- */

static char point[128];

static void use_small_disk(uint64_t size)
{
	scene_release(&scene);
	scene_init(&scene, point);
	scene_file(&scene, "a", size, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = size;
}

static bool has_small_disk(void)
{
	char arguments[192];

	if (point[0])
		return true;
	if (!has_tool("mkfs.ext4") ||
	    !run("truncate -s 48M '%s/disk' && mkfs.ext4 -q -m 0 '%s/disk'", test_folder,
		 test_folder))
		return false;
	snprintf(arguments, sizeof(arguments), "-o loop '%s/disk'", test_folder);
	if (mount_make("point", arguments, point))
		return true;
	point[0] = '\0';
	return false;
}

static void too_little_space_is_refused_and_nothing_made(void **state)
{
	(void)state;
	if (!has_small_disk()) {
		print_message("skipped: no ext4 on a loop device here\n");
		skip();
	}
	use_small_disk(64 * MIB);
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "67108864 bytes"));
	assert_non_null(strstr(text, "free"));
	free(text);
	scene.prepare.phase.op = PHASE_OP_READ; /* it would be laid out */
	free(scene_refusal(&scene));
	char *path = scene_path(&scene, "a");
	assert_int_not_equal(access(path, F_OK), 0);
	free(path);
}

static void what_was_unmounted_is_not_made_on_the_disk_beneath(void **state)
{
	(void)state;
	if (!has_small_disk()) {
		print_message("skipped: no ext4 on a loop device here\n");
		skip();
	}
	use_small_disk(8 * MIB);
	scene.prepare.check = true;
	phase_run_free(scene_ready(&scene));
	scene.prepare.check = false;
	assert_true(run("mount -t tmpfs tmpfs '%s'", point));
	char *text = scene_refusal(&scene);
	assert_true(run("umount '%s'", point));
	assert_non_null(strstr(text, "another file system"));
	free(text);
	/* It is back. */
	phase_run_free(scene_ready(&scene));
}

static void a_disk_that_fills_in_mid_phase_stops_it(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	if (!has_small_disk()) {
		print_message("skipped: no ext4 on a loop device here\n");
		skip();
	}
	use_small_disk(32 * MIB);
	scene_null(&scene, "n", MIB, true); /* is stopped with it */
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	scene.prepare.phase.size_bytes = 0;
	struct phase_run *phase = scene_ready(&scene);
	assert_true(run("head -c 24M /dev/zero > '%s/other' && sync", point));
	scene_finish(phase, &timeline, &done);
	char *path = scene_path(&scene, "a");
	assert_int_equal(done.state, DONE_BROKEN);
	assert_string_equal(done.code, "DISK_FULL");
	const char *words[] = {"target 'a'", path, "33554432 bytes (32.0 MiB) are wanted",
			       "are free"};
	for (int i = 0; i < 4; i++)
		if (!strstr(done.text, words[i]))
			fail_msg("'%s' is not in: %s", words[i], done.text);
	assert_non_null(done.targets[0].first_error);
	assert_true(done.targets[0].bytes_written > 0);
	free(path);
	scene_free(&timeline, &done);
	run("rm '%s/other'", point);
}

/* ---- a disk that hangs ---- */

/* Threads of this process; -1: unknown. */
static int count_threads(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) ? -1 : (int)st.st_nlink - 2;
}

static void a_lay_out_that_hangs_is_left_behind(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	struct progress progress;
	uint64_t moved, end = clock_now_ns() + 60 * NS_PER_S;
	if (!has_small_disk() || !has_tool("fsfreeze") || count_threads() < 1) {
		print_message("skipped: no ext4 on a loop device, or no fsfreeze here\n");
		skip();
	}
	use_small_disk(8 * MIB);
	int threads = count_threads(); /* not below: those just joined are still listed */
	scene.prepare.phase.size_bytes = MIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	scene_free(&timeline, &done);
	scene.prepare.phase.op = PHASE_OP_READ;
	scene.prepare.phase.size_bytes = 8 * MIB;
	assert_true(run("fsfreeze -f '%s'", point));
	struct phase_run *phase = scene_new(&scene);
	bool began = false;
	while (!began && clock_now_ns() < end)
		began = phase_run_progress(phase, &progress, &moved);
	phase_run_stop(phase, DONE_BROKEN, "stuck");
	enum phase_run_state now = phase_run_state(phase);
	phase_run_free(phase); /* does not wait */
	int left = count_threads();
	assert_true(run("fsfreeze -u '%s'", point));
	assert_true(began);
	assert_int_equal(now, PHASE_RUN_FAILED);
	assert_true(left > threads);
	assert_int_equal(progress.total_bytes, 7 * MIB);
	while (count_threads() > threads && clock_now_ns() < end)
		clock_sleep(NS_PER_MS);
	assert_int_equal(count_threads(), threads);
}

static int make_devices(void)
{
	for (int i = 0; i < 2; i++) {
		char name[16];
		snprintf(name, sizeof(name), "loop%d", i);
		if (!loop_make(name, 16, device[i]))
			return -1;
		if (!run("head -c 16M /dev/urandom > '%s'", device[i]))
			return -1;
		int fd = open(device[i], O_RDONLY);
		if (fd < 0 || !platform_identity(fd, device[i], identity[i]))
			return -1;
		close(fd);
	}
	return 0;
}

/* A trim is armed as a write is; what it leaves is no data that a read could measure. */
static void a_trim_needs_the_identity_and_leaves_nothing_to_read(void **state)
{
	(void)state;
	struct timeline timeline;
	struct done done;
	struct target *target = add_device("d", 0, false, true);
	uint64_t before = digest(device[0]);
	scene.prepare.phase.op = PHASE_OP_TRIM;
	scene.prepare.phase.size_bytes = 8 * MIB;
	free(scene_refusal(&scene));
	assert_int_equal(digest(device[0]), before);
	target->destroy = identity[0];
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_int_equal(done.state, DONE_COMPLETE);
	assert_int_equal(done.targets[0].bytes_written, 8 * MIB);
	assert_int_equal(done.targets[0].errors, 0);
	scene_free(&timeline, &done);
	static const enum phase_op ops[] = {PHASE_OP_READ, PHASE_OP_MIXED};
	for (int i = 0; i < 2; i++) {
		scene.prepare.phase.op = ops[i];
		char *text = scene_refusal(&scene);
		assert_non_null(strstr(text, "from offset 0 on was trimmed"));
		free(text);
	}
	scene.prepare.phase.op = PHASE_OP_READ;
	scene.prepare.phase.cache = PHASE_CACHE_ALLOWED;
	struct phase_run *phase = scene_ready(&scene);
	assert_true(phase_run_ready(phase)->notes_count >= 1);
	scene_finish(phase, &timeline, &done);
	scene_free(&timeline, &done);
	scene.prepare.phase.cache = PHASE_CACHE_FORBIDDEN;
	for (int i = 0; i < 2; i++) {
		scene.prepare.phase.op = i ? PHASE_OP_READ : PHASE_OP_WRITE;
		scene.prepare.phase.verify = i == 1;
		scene_finish(scene_ready(&scene), &timeline, &done);
		assert_int_equal(done.state, DONE_COMPLETE);
		scene_free(&timeline, &done);
	}
}

static void a_trim_of_less_than_the_devices_unit_is_refused(void **state)
{
	(void)state;
	add_device("d", 0, true, true);
	scene.prepare.phase.op = PHASE_OP_TRIM;
	scene.prepare.phase.size_bytes = 8 * MIB;
	scene.prepare.phase.block_size = 512;
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "use a multiple of"));
	free(text);
}

/* A block of less than the stripe's unit is one piece, as long as itself. */
static void nor_are_such_pieces_of_a_stripe_trimmed(void **state)
{
	(void)state;
	struct name parts[] = {{"d"}, {"e"}};
	add_device("d", 0, true, false);
	add_device("e", 1, true, false);
	struct target *stripe = scene_target(&scene, "s", true);
	stripe->stripe = parts;
	stripe->stripe_count = 2;
	uint64_t before = digest(device[0]) ^ digest(device[1]);
	scene.prepare.phase.op = PHASE_OP_TRIM;
	scene.prepare.phase.size_bytes = 8 * MIB;
	scene.prepare.phase.block_size = 512;
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "is in pieces of 512: use a multiple of"));
	free(text);
	assert_int_equal(digest(device[0]) ^ digest(device[1]), before);
	struct timeline timeline;
	struct done done;
	scene.prepare.phase.block_size = 64 * KIB;
	scene_finish(scene_ready(&scene), &timeline, &done);
	assert_int_equal(done.targets[0].bytes_written, 8 * MIB);
	scene_free(&timeline, &done);
}

/* ---- what stands there has changed between the look and the opening ---- */

static void name_device(const char *path, char text[PLATFORM_IDENTITY_SIZE])
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(platform_identity(fd, path, text));
	close(fd);
}

/* An armed target is looked at, a command run, and the target opened; the text of why not is the
 * caller's. */
static char *open_after(const char *path, const char *command)
{
	char own[PLATFORM_IDENTITY_SIZE];
	struct ready ready = {0};
	struct phase phase = scene.prepare.phase;
	struct target target = {.name = "d", .device = (char *)path, .destroy = own};
	const struct part_context context = {.phase = &phase,
					     .host = "h",
					     .config = &scene.config,
					     .files = scene.files,
					     .written = scene.written,
					     .ready = &ready};
	struct error err = {0};
	struct part part;

	name_device(path, own);
	scene.allowed_devices[0].name = (char *)path;
	phase.op = PHASE_OP_WRITE;
	if (part_find(&part, &target, &context, &err) < 0)
		fail_msg("%s", err.text);
	if (!run("%s", command))
		fail_msg("failed: %s", command);
	char *text = part_open(&part, &context, &err) < 0 ? mem_text(err.text) : NULL;
	part_release(&part);
	record_release(&ready_table, &ready);
	return text;
}

static void a_loop_device_over_another_file_is_not_opened(void **state)
{
	char path[64], *command, *text;
	int before = undo_count;

	(void)state;
	assert_true(loop_make("first", 16, path));
	assert_true(run("truncate -s 16M '%s/second'", test_folder));
	text = open_after(path, "true");
	if (text)
		fail_msg("not opened though nothing changed: %s", text);
	command = mem_format("losetup -d %s && losetup %s '%s/second'", path, path, test_folder);
	text = open_after(path, command);
	assert_non_null(text);
	assert_non_null(strstr(text, "another device has its name now"));
	free(command);
	free(text);
	undo_to(before);
}

static void another_device_by_the_same_node_is_not_opened(void **state)
{
	char *node = mem_format("%s/node", test_folder);
	char *copy = mem_format("cp -a %s '%s'", device[0], node);
	char *other = mem_format("rm '%s' && cp -a %s '%s'", node, device[1], node);

	(void)state;
	assert_true(run("%s", copy));
	char *text = open_after(node, other);
	assert_non_null(text);
	assert_non_null(strstr(text, "another device stands there"));
	free(text);
	unlink(node);
	free(node);
	free(copy);
	free(other);
}

/* Each phase asks anew. */
static void a_phase_after_the_device_was_exchanged_is_refused(void **state)
{
	char path[64], own[PLATFORM_IDENTITY_SIZE];
	int before = undo_count;

	(void)state;
	assert_true(loop_make("third", 16, path));
	assert_true(run("truncate -s 16M '%s/fourth'", test_folder));
	name_device(path, own);
	scene.allowed_devices[0].name = path;
	struct target *target = scene_target(&scene, "d", true);
	target->device = path;
	target->destroy = own;
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	phase_run_free(scene_ready(&scene));
	assert_true(run("losetup -d %s && losetup %s '%s/fourth'", path, path, test_folder));
	char *text = scene_refusal(&scene);
	assert_non_null(strstr(text, "is not the device that the plan says may be overwritten"));
	free(text);
	undo_to(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reading_changes_nothing_armed_or_not, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(writing_needs_the_identity, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_armed_device_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_device_is_verified_where_it_was_written, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_device_is_closed_when_its_phase_has_ended, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_size_over_the_device_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_stripe_over_devices_reads_both, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_device_by_two_names_is_not_written, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(too_little_space_is_refused_and_nothing_made,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_unmounted_is_not_made_on_the_disk_beneath,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_disk_that_fills_in_mid_phase_stops_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_lay_out_that_hangs_is_left_behind, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_trim_needs_the_identity_and_leaves_nothing_to_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nor_are_such_pieces_of_a_stripe_trimmed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_trim_of_less_than_the_devices_unit_is_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loop_device_over_another_file_is_not_opened,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_device_by_the_same_node_is_not_opened,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_phase_after_the_device_was_exchanged_is_refused,
						set_up, tear_down),
	};

	test_folder_make();
	const char *missing = no_loop_devices();
	if (missing) {
		fprintf(stderr, "skipped: %s\n", missing);
		return 77;
	}
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir '%s'", work) || make_devices())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
