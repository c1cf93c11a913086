#include "agent/written.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

struct file {
	char *path;
	uint64_t generation;
	struct written_range *ranges; /* ascending, not overlapping, none empty */
	uint32_t count;
	bool has_ground;
	uint64_t ground;      /* the file system, as st_dev */
	char *from;           /* an earlier run of which all of them are; NULL: of this one */
	struct file *trimmed; /* what is, as ranges; NULL: nothing ever was */
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
		free(written->files[i].ranges);
		free(written->files[i].from);
		if (written->files[i].trimmed)
			free(written->files[i].trimmed->ranges);
		free(written->files[i].trimmed);
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

bool written_is_ground(struct written *written, const char *path, uint64_t device)
{
	struct file *file = find_or_add(written, path);

	if (!file->has_ground)
		file->ground = device;
	file->has_ground = true;
	return file->ground == device;
}

/* ---- ranges ---- */

static bool are_alike(const struct written_range *a, const struct written_range *b)
{
	return a->seed == b->seed && a->owner == b->owner && a->oldest == b->oldest &&
	       a->newest == b->newest && a->unit == b->unit &&
	       pattern_shape_is_equal(a->shape, b->shape);
}

/* Appends, joining what is alike. */
static void append(struct file *file, struct written_range range)
{
	struct written_range *last = file->count ? &file->ranges[file->count - 1] : NULL;

	if (range.from >= range.to)
		return;
	if (last && last->to == range.from && are_alike(last, &range)) {
		last->to = range.to;
		return;
	}
	file->ranges = mem_resize(file->ranges, file->count + 1, sizeof(*file->ranges));
	file->ranges[file->count++] = range;
}

static void append_between(struct file *file, struct written_range range, uint64_t from,
			   uint64_t to)
{
	range.from = range.from > from ? range.from : from;
	range.to = range.to < to ? range.to : to;
	append(file, range);
}

/* What a piece of data is when some of it may have become that of `by`. */
static struct written_range touched(struct written_range range, const struct written_range *by)
{
	if (range.owner != by->owner || range.seed != by->seed)
		range.owner = 0;
	if (range.shape.source != PATTERN_ZEROS)
		range.shape = by->shape;
	if (by->newest > range.newest)
		range.newest = by->newest;
	range.unit = written_unit(range.unit, by->unit);
	return range;
}

/* The file's ranges anew: those before and behind `by` as they are, between them either `by`, or
 * what was there, touched. */
static void change(struct file *file, const struct written_range *by, bool is_set)
{
	struct file old = *file;
	uint32_t i = 0;

	free(file->from);
	file->from = NULL;
	file->ranges = NULL;
	file->count = 0;
	for (; i < old.count && old.ranges[i].from < by->from; i++)
		append_between(file, old.ranges[i], 0, by->from);
	if (is_set)
		append(file, *by);
	for (i = i ? i - 1 : 0; !is_set && i < old.count && old.ranges[i].from < by->to; i++)
		append_between(file, touched(old.ranges[i], by), by->from, by->to);
	for (i = 0; i < old.count; i++)
		append_between(file, old.ranges[i], by->to, UINT64_MAX);
	free(old.ranges);
}

/* The file's ranges without what lies in [from, to). */
static void take_out(struct file *file, uint64_t from, uint64_t to)
{
	struct file old = *file;

	file->ranges = NULL;
	file->count = 0;
	for (uint32_t i = 0; i < old.count; i++) {
		append_between(file, old.ranges[i], 0, from);
		append_between(file, old.ranges[i], to, UINT64_MAX);
	}
	free(old.ranges);
}

void written_set(struct written *written, const char *path, const struct written_range *range)
{
	if (range->from >= range->to)
		return;
	struct file *file = find_or_add(written, path);
	change(file, range, true);
	if (file->trimmed)
		take_out(file->trimmed, range->from, range->to);
}

void written_trim(struct written *written, const char *path, uint64_t from, uint64_t to)
{
	const struct written_range range = {.from = from, .to = to};

	if (from >= to)
		return;
	struct file *file = find_or_add(written, path);
	free(file->from);
	file->from = NULL;
	take_out(file, from, to);
	if (!file->trimmed)
		file->trimmed = mem_new(1, sizeof(*file->trimmed));
	change(file->trimmed, &range, true);
}

bool written_is_trimmed(const struct written *written, const char *path, uint64_t to,
			uint64_t *offset)
{
	const struct file *file = find(written, path);
	const struct file *trimmed = file ? file->trimmed : NULL;

	if (!trimmed || !trimmed->count || trimmed->ranges[0].from >= to)
		return false;
	*offset = trimmed->ranges[0].from;
	return true;
}

void written_touch(struct written *written, const char *path, const struct written_range *range)
{
	if (range->from < range->to)
		change(find_or_add(written, path), range, false);
}

const struct written_range *written_ranges(const struct written *written, const char *path,
					   uint32_t *count)
{
	const struct file *file = find(written, path);

	*count = file ? file->count : 0;
	return file ? file->ranges : NULL;
}

void written_load(struct written *written, const char *path, const char *run, uint64_t generation,
		  const struct written_range *ranges, uint32_t count)
{
	struct file *file = find_or_add(written, path);

	free(file->from);
	file->from = mem_text(run);
	file->count = 0;
	for (uint32_t i = 0; i < count; i++)
		append(file, ranges[i]);
	written_set_generation(written, path, generation);
}

const char *written_from(const struct written *written, const char *path)
{
	const struct file *file = find(written, path);

	return file ? file->from : NULL;
}

uint64_t written_unit(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* ---- questions ---- */

void written_forget(struct written *written, const char *path)
{
	struct file *file = find(written, path);

	if (!file)
		return;
	file->count = 0;
	if (file->trimmed)
		file->trimmed->count = 0;
}

bool written_gap(const struct written *written, const char *path, uint64_t from, uint64_t to,
		 uint64_t *gap_from, uint64_t *gap_to)
{
	const struct file *file = find(written, path);

	for (uint32_t i = 0; file && i < file->count; i++) {
		const struct written_range *range = &file->ranges[i];
		if (range->from > from) {
			to = range->from < to ? range->from : to;
			break;
		}
		if (range->to > from)
			from = range->to;
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
