#include "agent/space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/platform/platform.h"
#include "common/memory.h"
#include "common/units.h"

struct need {
	dev_t file_system;
	const struct part *part; /* the first on it */
	char *names;             /* 'a', 'b' */
	uint64_t bytes, files;
};

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return mem_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static struct need *need_of(struct need **needs, uint32_t *count, dev_t file_system)
{
	for (uint32_t i = 0; i < *count; i++)
		if ((*needs)[i].file_system == file_system)
			return &(*needs)[i];
	struct need *need = RECORD_APPEND(*needs, *count);
	need->file_system = file_system;
	return need;
}

static int add_part(struct need **needs, uint32_t *count, const struct part *part,
		    struct error *err)
{
	struct stat st;

	if (fstat(part->place.directory, &st)) {
		error_set(err, ERROR_REFUSED, "target '%s': cannot stat the directory of '%s': %s",
			  part->target->name, part->path, strerror(errno));
		return -1;
	}
	struct need *need = need_of(needs, count, st.st_dev);
	char *names = need->names ? mem_format("%s, '%s'", need->names, part->target->name)
				  : mem_format("'%s'", part->target->name);
	free(need->names);
	need->names = names;
	if (!need->part)
		need->part = part;
	uint64_t missing = part->used_bytes > part->allocated_bytes
				   ? part->used_bytes - part->allocated_bytes
				   : 0;
	need->bytes = missing < UINT64_MAX - need->bytes ? need->bytes + missing : UINT64_MAX;
	need->files += part->is_absent;
	return 0;
}

static int has_room(const struct need *need, const char *directory, struct error *err)
{
	uint64_t free_bytes, free_files;
	char wanted[UNITS_TEXT_SIZE], has[UNITS_TEXT_SIZE];

	if (platform_space(need->part->place.directory, directory, &free_bytes, &free_files, err))
		return -1;
	if (need->bytes > free_bytes) {
		error_set(
			err, ERROR_REFUSED,
			"too little space in '%s' for %s: %llu bytes (%s) are wanted and %llu (%s) "
			"are free: lower size or make room",
			directory, need->names, (unsigned long long)need->bytes,
			units_format_bytes(wanted, need->bytes), (unsigned long long)free_bytes,
			units_format_bytes(has, free_bytes));
		error_code(err, "INSUFFICIENT_SPACE");
		return -1;
	}
	if (need->files <= free_files)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "too few inodes in '%s' for %s: %llu are wanted and %llu are free: remove files",
		  directory, need->names, (unsigned long long)need->files,
		  (unsigned long long)free_files);
	error_code(err, "INSUFFICIENT_INODES");
	return -1;
}

static int check_need(const struct need *need, struct error *err)
{
	char *directory = directory_of(need->part->path);
	int failed = has_room(need, directory, err);

	free(directory);
	return failed;
}

int space_check(const struct phase_targets *targets, struct error *err)
{
	struct need *needs = NULL;
	uint32_t count = 0;
	int failed = 0;

	for (uint32_t i = 0; i < targets->parts_count && !failed; i++)
		if (targets->parts[i]->kind == PART_FILE)
			failed = add_part(&needs, &count, targets->parts[i], err);
	for (uint32_t i = 0; i < count && !failed; i++)
		failed = check_need(&needs[i], err);
	for (uint32_t i = 0; i < count; i++) {
		free(needs[i].names);
	}
	free(needs);
	return failed;
}

void space_explain(const struct part *part, const char *target, struct error *err)
{
	uint64_t free_bytes = 0, free_files = 0;
	char *directory = directory_of(part->path);
	char wanted[UNITS_TEXT_SIZE], has[UNITS_TEXT_SIZE];
	struct error ignored;

	units_format_bytes(wanted, part->used_bytes);
	if (platform_space(part->place.directory, directory, &free_bytes, &free_files, &ignored) ==
	    0)
		error_set(err, ERROR_BROKEN,
			  "target '%s': no space left for '%s': %llu bytes (%s) are wanted and "
			  "%llu (%s) "
			  "are free: lower size or make room",
			  target, part->path, (unsigned long long)part->used_bytes, wanted,
			  (unsigned long long)free_bytes, units_format_bytes(has, free_bytes));
	else
		error_set(err, ERROR_BROKEN,
			  "target '%s': no space left for '%s': %llu bytes (%s) are wanted: lower "
			  "size or "
			  "make room",
			  target, part->path, (unsigned long long)part->used_bytes, wanted);
	error_code(err, "DISK_FULL");
	free(directory);
}
