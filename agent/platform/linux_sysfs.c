#include "agent/platform/linux_sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "common/memory.h"

#define BLOCK_FOLDER "/sys/class/block"

static const char *root = "";

void sysfs_set_root(const char *path)
{
	root = path;
}

bool sysfs_path(char *whole, size_t size, const char *path)
{
	int length = snprintf(whole, size, "%s%s", root, path);

	return length > 0 && (size_t)length < size;
}

static void trim(char *text)
{
	size_t start = strspn(text, " \t\n");
	size_t length = strlen(text + start);

	while (length && strchr(" \t\n", text[start + length - 1]))
		length--;
	memmove(text, text + start, length);
	text[length] = '\0';
}

static bool read_text(char *text, size_t size, const char *path)
{
	char whole[1024];
	int fd = sysfs_path(whole, sizeof(whole), path) ? open(whole, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, size - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	trim(text);
	return text[0] != '\0';
}

bool sysfs_text(char *text, size_t size, const char *format, ...)
{
	char path[512];
	va_list args;

	text[0] = '\0';
	va_start(args, format);
	int length = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return length > 0 && (size_t)length < sizeof(path) && read_text(text, size, path);
}

bool sysfs_number(uint64_t *number, const char *format, ...)
{
	char path[512], text[64], *end;
	va_list args;

	va_start(args, format);
	int length = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (length <= 0 || (size_t)length >= sizeof(path) || !read_text(text, sizeof(text), path))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

/* The last `levels`-th component of where a symbolic link in sysfs leads: 1 is the last. */
static bool link_component(const char *path, unsigned levels, char name[PLATFORM_DEVICE_NAME])
{
	char where[1024], whole[1024];

	if (!sysfs_path(whole, sizeof(whole), path))
		return false;
	ssize_t length = readlink(whole, where, sizeof(where) - 1);
	if (length <= 0)
		return false;
	where[length] = '\0';
	char *slash = NULL;
	for (unsigned i = 0; i < levels; i++) {
		if (slash)
			*slash = '\0';
		slash = strrchr(where, '/');
		if (!slash)
			return false;
	}
	return slash[1] != '\0' && posix_copy(name, PLATFORM_DEVICE_NAME, slash + 1);
}

bool sysfs_name(dev_t device, char name[PLATFORM_DEVICE_NAME])
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	return link_component(path, 1, name);
}

bool sysfs_device(const char *name, dev_t *device)
{
	char text[64];
	unsigned high, low;

	if (!sysfs_text(text, sizeof(text), BLOCK_FOLDER "/%s/dev", name) ||
	    sscanf(text, "%u:%u", &high, &low) != 2)
		return false;
	*device = makedev(high, low);
	return true;
}

bool sysfs_counted(dev_t device, char name[PLATFORM_DEVICE_NAME])
{
	char path[1024], line[512], counted[128];
	bool found = false;
	unsigned high, low;
	FILE *file = sysfs_path(path, sizeof(path), "/proc/diskstats") ? fopen(path, "re") : NULL;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%u %u %127s", &high, &low, counted) == 3 &&
			makedev(high, low) == device;
	if (file)
		fclose(file);
	if (!found || !posix_copy(name, PLATFORM_DEVICE_NAME, counted))
		return false;
	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '!';
	return true;
}

bool sysfs_disk(const char *partition, char disk[PLATFORM_DEVICE_NAME])
{
	char path[256];
	uint64_t number;

	if (!sysfs_number(&number, BLOCK_FOLDER "/%s/partition", partition))
		return false;
	snprintf(path, sizeof(path), BLOCK_FOLDER "/%s", partition);
	return link_component(path, 2, disk);
}

enum platform_lack sysfs_lack(const char *name)
{
	uint64_t number = 0;

	if (sysfs_number(&number, BLOCK_FOLDER "/%s/hidden", name) && number)
		return PLATFORM_LACK_NODE;
	if (!sysfs_number(&number, BLOCK_FOLDER "/%s/size", name) || number)
		return PLATFORM_LACK_NOTHING;
	if (sysfs_number(&number, BLOCK_FOLDER "/%s/removable", name) && number)
		return PLATFORM_LACK_MEDIUM;
	return PLATFORM_LACK_SIZE;
}

bool names_has(const struct names *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], name) == 0)
			return true;
	return false;
}

void names_add(struct names *names, const char *name)
{
	if (strlen(name) >= PLATFORM_DEVICE_NAME || names_has(names, name))
		return;
	names->names = mem_resize(names->names, names->count + 1, sizeof(*names->names));
	posix_copy(names->names[names->count++], PLATFORM_DEVICE_NAME, name);
}

void names_release(struct names *names)
{
	free(names->names);
	*names = (struct names){0};
}

static bool is_device(const char *entry, const char *with)
{
	char path[1024];

	if (entry[0] == '.')
		return false;
	int length = snprintf(path, sizeof(path), "%s" BLOCK_FOLDER "/%s/%s", root, entry, with);
	return length > 0 && (size_t)length < sizeof(path) && access(path, F_OK) == 0;
}

/* Of a folder's entries, those that are names of devices which have the file `with`. */
static void add_entries(struct names *names, const char *folder, const char *with)
{
	char whole[1024];
	DIR *entries = sysfs_path(whole, sizeof(whole), folder) ? opendir(whole) : NULL;

	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (is_device(entry->d_name, with))
			names_add(names, entry->d_name);
	closedir(entries);
}

void sysfs_add_entries(struct names *names, const char *folder)
{
	add_entries(names, folder, "dev");
}

void sysfs_add_linked(struct names *names, const char *name, const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), BLOCK_FOLDER "/%s/%s", name, folder);
	sysfs_add_entries(names, path);
}

void sysfs_add_partitions(struct names *names, const char *disk)
{
	char path[256];

	snprintf(path, sizeof(path), BLOCK_FOLDER "/%s", disk);
	add_entries(names, path, "partition");
}

#define FIRST_LOGICAL 5 /* in DOS's table */

/* In sectors of 512 bytes, whatever the disk's own are. */
struct range {
	uint64_t number, start, size;
};

static bool find_range(const char *partition, struct range *range)
{
	return sysfs_number(&range->number, BLOCK_FOLDER "/%s/partition", partition) &&
	       sysfs_number(&range->start, BLOCK_FOLDER "/%s/start", partition) &&
	       sysfs_number(&range->size, BLOCK_FOLDER "/%s/size", partition);
}

static bool contains_logical(const struct range *range, const struct range *other)
{
	return range->number < FIRST_LOGICAL && range->size <= 2 &&
	       other->number >= FIRST_LOGICAL && other->start > range->start;
}

static bool overlap(const struct range *one, const struct range *other)
{
	return (one->start < other->start + other->size && other->start < one->start + one->size) ||
	       contains_logical(one, other) || contains_logical(other, one);
}

void sysfs_add_overlapping(struct names *names, const char *partition)
{
	char disk[PLATFORM_DEVICE_NAME];
	struct names all = {0};
	struct range range, other;

	if (!sysfs_disk(partition, disk) || !find_range(partition, &range))
		return;
	sysfs_add_partitions(&all, disk);
	for (uint32_t i = 0; i < all.count; i++)
		if (strcmp(all.names[i], partition) != 0 && find_range(all.names[i], &other) &&
		    overlap(&range, &other))
			names_add(names, all.names[i]);
	names_release(&all);
}

void sysfs_add_beneath(struct names *names, const char *name)
{
	char disk[PLATFORM_DEVICE_NAME];

	if (sysfs_disk(name, disk))
		names_add(names, disk);
	else
		sysfs_add_linked(names, name, "slaves");
}
