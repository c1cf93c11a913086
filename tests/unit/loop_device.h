/* loop_device.h - real block devices for tests: files of a folder of its own, attached as loop
 * devices, and mounts. Everything is undone in reverse by undo_all, which also runs at exit, so
 * that a test that fails leaves nothing behind. Only what was made here is touched. */
#ifndef MUSTER_TESTS_LOOP_DEVICE_H
#define MUSTER_TESTS_LOOP_DEVICE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNDO_MOST 64
static char *undo_commands[UNDO_MOST];
static int undo_count;
static char test_folder[64];

/* Runs a shell command quietly; answers whether it ended with 0. */
__attribute__((format(printf, 1, 2))) static inline bool run(const char *format, ...)
{
	char command[2048];
	va_list args;

	int used = snprintf(command, sizeof(command), "PATH=$PATH:/usr/sbin:/sbin; { ");
	va_start(args, format);
	used += vsnprintf(command + used, sizeof(command) - (size_t)used, format, args);
	va_end(args);
	snprintf(command + used, sizeof(command) - (size_t)used, "; } >/dev/null 2>&1");
	int status = system(command);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

__attribute__((format(printf, 1, 2))) static inline void undo_later(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (undo_count == UNDO_MOST) {
		fprintf(stderr, "too many things to undo\n");
		abort();
	}
	undo_commands[undo_count++] = strdup(command);
}

/* Undoes until `count` things are left; answers whether all went well. */
static inline bool undo_to(int count)
{
	bool well = true;

	while (undo_count > count) {
		char *command = undo_commands[--undo_count];
		if (!run("%s", command)) {
			fprintf(stderr, "could not undo: %s\n", command);
			well = false;
		}
		free(command);
	}
	return well;
}

static inline void undo_all(void)
{
	undo_to(0);
}

/* A folder on disk for this process; gone at exit. */
static inline void test_folder_make(void)
{
	snprintf(test_folder, sizeof(test_folder), "/var/tmp/muster-test-XXXXXX");
	if (!mkdtemp(test_folder)) {
		perror(test_folder);
		exit(1);
	}
	atexit(undo_all);
	undo_later("rm -rf --one-file-system '%s'", test_folder);
}

/* Attaches a new sparse file at `file` as a loop device; its name goes to `device`. False when the
 * system does not let us. `options` are losetup's. */
static inline bool loop_attach(const char *file, unsigned mib, const char *options, char device[64])
{
	char command[512];

	device[0] = '\0';
	if (mib && !run("truncate -s %uM '%s'", mib, file))
		return false;
	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin losetup --find --show %s '%s' 2>/dev/null", options,
		 file);
	FILE *answer = popen(command, "r");
	if (!answer)
		return false;
	if (!fgets(device, 64, answer))
		device[0] = '\0';
	pclose(answer);
	device[strcspn(device, "\n")] = '\0';
	if (!device[0])
		return false;
	undo_later("losetup -d '%s'", device);
	return true;
}

static inline bool loop_make(const char *name, unsigned mib, char device[64])
{
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", test_folder, name);
	return loop_attach(file, mib, "", device);
}

/* Makes a mount point in the folder and mounts; `point` gets its path. */
static inline bool mount_make(const char *name, const char *arguments, char point[128])
{
	snprintf(point, 128, "%s/%s", test_folder, name);
	if (mkdir(point, 0700) < 0 || !run("mount %s '%s'", arguments, point))
		return false;
	undo_later("umount '%s'", point);
	return true;
}

static inline bool has_tool(const char *name)
{
	return run("command -v %s", name);
}

/* Why devices cannot be made here; NULL when they can. */
static inline const char *no_loop_devices(void)
{
	char device[64];

	if (geteuid() != 0)
		return "loop devices need root";
	if (!has_tool("losetup"))
		return "losetup (util-linux) is missing";
	int before = undo_count;
	if (!loop_make("probe", 1, device))
		return "this system gives out no loop devices";
	undo_to(before);
	return NULL;
}

#endif
