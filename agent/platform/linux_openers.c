#include "agent/platform/linux_openers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "common/memory.h"

/* The device, when it is a block device's descriptor. Nobody is asked across a network for that. */
static bool find_device(DIR *folder, const char *descriptor, dev_t *device)
{
	struct statx answer;

	if (statx(dirfd(folder), descriptor, AT_STATX_DONT_SYNC, STATX_TYPE, &answer) < 0 ||
	    !S_ISBLK(answer.stx_mode))
		return false;
	*device = makedev(answer.stx_rdev_major, answer.stx_rdev_minor);
	return true;
}

static bool is_writing(const char *process, const char *descriptor)
{
	char path[600], line[128];
	unsigned flags = O_RDONLY;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", process, descriptor);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "flags: %o", &flags) == 1;
	fclose(file);
	return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

/* A process says itself what it is called; of that only what can be printed. */
static void name_program(const char *process, char program[PLATFORM_PROGRAM])
{
	char path[300];

	snprintf(path, sizeof(path), "/proc/%s/comm", process);
	FILE *file = fopen(path, "re");
	if (!file || !fgets(program, PLATFORM_PROGRAM, file))
		program[0] = '\0';
	if (file)
		fclose(file);
	program[strcspn(program, "\n")] = '\0';
	for (char *c = program; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
}

static void add(struct platform_openers *openers, const char *process, dev_t device)
{
	for (uint32_t i = 0; i < openers->count; i++)
		if (openers->list[i].device == device) {
			openers->list[i].others++;
			return;
		}
	openers->list = mem_resize(openers->list, openers->count + 1, sizeof(*openers->list));
	struct platform_opener *opener = &openers->list[openers->count++];
	*opener = (struct platform_opener){.device = device,
					   .process = (uint32_t)strtoul(process, NULL, 10)};
	name_program(process, opener->program);
}

static bool has(const dev_t *devices, uint32_t count, dev_t device)
{
	for (uint32_t i = 0; i < count; i++)
		if (devices[i] == device)
			return true;
	return false;
}

static void add_process(struct platform_openers *openers, const char *process)
{
	char path[300];
	dev_t device, *found = NULL;
	uint32_t count = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", process);
	DIR *folder = opendir(path);
	if (!folder)
		return;
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_name[0] == '.' || !find_device(folder, entry->d_name, &device) ||
		    has(found, count, device) || !is_writing(process, entry->d_name))
			continue;
		found = mem_resize(found, count + 1, sizeof(*found));
		found[count++] = device;
		add(openers, process, device);
	}
	free(found);
	closedir(folder);
}

void openers_read(struct platform_openers *openers)
{
	char self[32] = "";
	DIR *processes = openers->is_read ? NULL : opendir("/proc");

	openers->is_read = true;
	if (!processes)
		return;
	/* By the name that this /proc has for us. */
	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		self[0] = '\0';
	for (struct dirent *entry; (entry = readdir(processes));)
		if (isdigit((unsigned char)entry->d_name[0]) && strcmp(entry->d_name, self) != 0)
			add_process(openers, entry->d_name);
	closedir(processes);
}
