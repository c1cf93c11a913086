#include "agent/made_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

#define CHECKSUM_LENGTH 8

struct made_file *made_list_find(const struct made_list *list, const char *path)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (strcmp(list->files[i].path, path) == 0)
			return &list->files[i];
	return NULL;
}

void made_list_release(struct made_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->files[i].path);
	for (uint32_t i = 0; i < list->wanted_count; i++)
		free(list->wanted[i]);
	free(list->files);
	free(list->wanted);
	*list = (struct made_list){0};
}

static void forget_wanted(struct made_list *list, const char *path)
{
	for (uint32_t i = 0; i < list->wanted_count; i++) {
		if (strcmp(list->wanted[i], path) != 0)
			continue;
		free(list->wanted[i]);
		list->wanted[i] = list->wanted[--list->wanted_count];
		return;
	}
}

void made_list_want(struct made_list *list, const char *path)
{
	forget_wanted(list, path);
	list->wanted = mem_resize(list->wanted, list->wanted_count + 1, sizeof(*list->wanted));
	list->wanted[list->wanted_count++] = mem_text(path);
}

void made_list_made(struct made_list *list, const struct made_file *file)
{
	char *path = mem_text(file->path);
	struct made_file made = *file;

	made.path = path;
	made.keep = false;
	made_list_gone(list, path);
	list->files = mem_resize(list->files, list->count + 1, sizeof(*list->files));
	list->files[list->count++] = made;
}

void made_list_keep(struct made_list *list, const char *path)
{
	struct made_file *file = made_list_find(list, path);

	if (file)
		file->keep = true;
}

void made_list_drop(struct made_list *list, const char *path)
{
	struct made_file *file = made_list_find(list, path);

	if (file)
		file->keep = false;
}

void made_list_gone(struct made_list *list, const char *path)
{
	struct made_file *file = made_list_find(list, path);

	forget_wanted(list, path);
	if (!file)
		return;
	free(file->path);
	*file = list->files[--list->count];
}

/* FNV-1a: against torn and overwritten lines, not against malice. */
static uint32_t checksum(const char *text)
{
	uint32_t value = UINT32_C(2166136261);

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT32_C(16777619);
	return value;
}

char *made_list_line(const char *event)
{
	return mem_format("%08" PRIx32 " %s\n", checksum(event), event);
}

static bool is_intact(const char *line, size_t length)
{
	char sum[CHECKSUM_LENGTH + 1];

	if (length <= CHECKSUM_LENGTH + 1 || strlen(line) != length || line[CHECKSUM_LENGTH] != ' ')
		return false;
	snprintf(sum, sizeof(sum), "%08" PRIx32, checksum(line + CHECKSUM_LENGTH + 1));
	return strncmp(line, sum, CHECKSUM_LENGTH) == 0;
}

const char *made_list_event(const char *line, size_t length)
{
	return is_intact(line, length) ? line + CHECKSUM_LENGTH + 1 : NULL;
}

/* The path after the event's word and a blank; NULL when it is another event. */
static const char *after(const char *event, const char *word)
{
	size_t length = strlen(word);

	return strncmp(event, word, length) == 0 && event[length] == '/' ? event + length : NULL;
}

static bool apply_made(struct made_list *list, const char *event)
{
	struct made_file file = {0};
	int used = 0;

	if (sscanf(event, "made %" SCNu64 " %" SCNu64 " %" SCNu64 " %n%" SCNu64 " %" SCNu64 " %n",
		   &file.device, &file.inode, &file.born_ns, &used, &file.directory_inode,
		   &file.directory_born_ns, &used) < 3 ||
	    used == 0 || event[used] != '/')
		return false;
	file.path = (char *)event + used;
	made_list_made(list, &file);
	return true;
}

bool made_list_apply(struct made_list *list, const char *line, size_t length)
{
	const char *event = made_list_event(line, length), *path;

	if (!event)
		return false;
	if ((path = after(event, "want ")))
		made_list_want(list, path);
	else if ((path = after(event, "keep ")))
		made_list_keep(list, path);
	else if ((path = after(event, "drop ")))
		made_list_drop(list, path);
	else if ((path = after(event, "gone ")))
		made_list_gone(list, path);
	else
		return apply_made(list, event);
	return true;
}
