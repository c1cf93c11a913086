#include "agent/written.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

struct interval {
	uint64_t from, to;
};

struct file {
	char *path;
	uint64_t generation;
	struct interval *intervals; /* ascending, neither touching nor empty */
	uint32_t count;
};

struct written {
	struct file *files;
	uint32_t count;
};

struct written *written_new(void)
{
	return mem_new(1, sizeof(struct written));
}

void written_free(struct written *written)
{
	if (!written)
		return;
	for (uint32_t i = 0; i < written->count; i++) {
		free(written->files[i].path);
		free(written->files[i].intervals);
	}
	free(written->files);
	free(written);
}

static struct file *find(const struct written *written, const char *path)
{
	for (uint32_t i = 0; i < written->count; i++)
		if (!strcmp(written->files[i].path, path))
			return &written->files[i];
	return NULL;
}

static struct file *find_or_add(struct written *written, const char *path)
{
	struct file *file = find(written, path);

	if (file)
		return file;
	written->files = mem_resize(written->files, written->count + 1, sizeof(*written->files));
	file = &written->files[written->count++];
	*file = (struct file){.path = mem_text(path)};
	return file;
}

/* Takes out the intervals from `first` to before `last` and puts `by` in their place. */
static void replace(struct file *file, uint32_t first, uint32_t last, struct interval by)
{
	uint32_t after = file->count - last;

	file->intervals = mem_resize(file->intervals, file->count + 1, sizeof(*file->intervals));
	memmove(&file->intervals[first + 1], &file->intervals[last],
		after * sizeof(*file->intervals));
	file->intervals[first] = by;
	file->count = first + 1 + after;
}

void written_add(struct written *written, const char *path, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	struct file *file = find_or_add(written, path);
	struct interval whole = {from, to};
	uint32_t first = 0;
	while (first < file->count && file->intervals[first].to < from)
		first++;
	uint32_t last = first;
	for (; last < file->count && file->intervals[last].from <= to; last++) {
		if (file->intervals[last].from < whole.from)
			whole.from = file->intervals[last].from;
		if (file->intervals[last].to > whole.to)
			whole.to = file->intervals[last].to;
	}
	replace(file, first, last, whole);
}

void written_forget(struct written *written, const char *path)
{
	struct file *file = find(written, path);

	if (file)
		file->count = 0;
}

bool written_gap(const struct written *written, const char *path, uint64_t from, uint64_t to,
		 uint64_t *gap_from, uint64_t *gap_to)
{
	const struct file *file = find(written, path);

	for (uint32_t i = 0; file && i < file->count; i++) {
		const struct interval *interval = &file->intervals[i];
		if (interval->from > from) {
			to = interval->from < to ? interval->from : to;
			break;
		}
		if (interval->to > from)
			from = interval->to;
	}
	*gap_from = from;
	*gap_to = to;
	return from < to;
}

uint64_t written_missing(const struct written *written, const char *path, uint64_t to)
{
	uint64_t missing = 0, from, end = 0;

	while (written_gap(written, path, end, to, &from, &end))
		missing += end - from;
	return missing;
}

uint64_t written_generation(const struct written *written, const char *path)
{
	const struct file *file = find(written, path);

	return file ? file->generation : 0;
}

void written_set_generation(struct written *written, const char *path, uint64_t generation)
{
	struct file *file = find_or_add(written, path);

	if (generation > file->generation)
		file->generation = generation;
}
