#include "agent/platform/linux_mounts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/memory.h"

static bool is_octal(const char *digits)
{
	for (int i = 0; i < 3; i++)
		if (digits[i] < '0' || digits[i] > '7')
			return false;
	return true;
}

void mounts_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (from[0] == '\\' && is_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* 36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue */
int mounts_parse_line(char *line, struct mount *mount)
{
	char *rest = strstr(line, " - ");
	char *fields[6] = {NULL}, *save = NULL;
	unsigned high, low;

	if (!rest)
		return -1;
	*rest = '\0';
	rest += 3;
	fields[0] = strtok_r(line, " ", &save);
	for (int i = 1; i < 5; i++)
		fields[i] = fields[i - 1] ? strtok_r(NULL, " ", &save) : NULL;
	if (!fields[4] || sscanf(fields[0], "%" SCNu64, &mount->id) != 1 ||
	    sscanf(fields[2], "%u:%u", &high, &low) != 2)
		return -1;
	mount->device = makedev(high, low);
	mount->root = fields[3];
	mount->point = fields[4];
	mount->type = strsep(&rest, " \n");
	mount->source = rest ? strsep(&rest, " \n") : NULL;
	mount->options = rest ? strsep(&rest, " \n") : NULL;
	if (!mount->source)
		return -1;
	mounts_unescape(mount->root);
	mounts_unescape(mount->point);
	mounts_unescape(mount->source);
	return 0;
}

static void add(struct mounts *mounts, const struct mount *mount)
{
	mounts->mounts = mem_resize(mounts->mounts, mounts->count + 1, sizeof(*mounts->mounts));
	mounts->mounts[mounts->count++] = (struct mount){
		.id = mount->id,
		.device = mount->device,
		.root = mem_text(mount->root),
		.point = mem_text(mount->point),
		.type = mem_text(mount->type),
		.source = mem_text(mount->source),
		.options = mem_text(mount->options ? mount->options : ""),
	};
}

int mounts_read(struct mounts *mounts, struct error *err)
{
	return mounts_read_file(mounts, "/proc/self/mountinfo", err);
}

int mounts_read_file(struct mounts *mounts, const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	*mounts = (struct mounts){0};
	if (!file) {
		error_set(err, ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
		return -1;
	}
	while (getline(&line, &size, file) > 0) {
		struct mount mount = {0};
		if (mounts_parse_line(line, &mount) == 0)
			add(mounts, &mount);
	}
	free(line);
	fclose(file);
	return 0;
}

void mounts_release(struct mounts *mounts)
{
	for (uint32_t i = 0; i < mounts->count; i++) {
		free(mounts->mounts[i].root);
		free(mounts->mounts[i].point);
		free(mounts->mounts[i].type);
		free(mounts->mounts[i].source);
		free(mounts->mounts[i].options);
	}
	free(mounts->mounts);
	*mounts = (struct mounts){0};
}

/* The kernel tells the mount of a descriptor here since 3.15; statx does only since 5.8. */
static bool mount_id(int fd, uint64_t *id)
{
	char path[64], line[128];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "mnt_id: %" SCNu64, id) == 1;
	fclose(file);
	return found;
}

const struct mount *mounts_find(const struct mounts *mounts, int fd)
{
	struct stat st;
	uint64_t id;

	if (mount_id(fd, &id))
		for (uint32_t i = 0; i < mounts->count; i++)
			if (mounts->mounts[i].id == id)
				return &mounts->mounts[i];
	if (fstat(fd, &st) < 0)
		return NULL;
	for (uint32_t i = 0; i < mounts->count; i++)
		if (mounts->mounts[i].device == st.st_dev)
			return &mounts->mounts[i];
	return NULL;
}
