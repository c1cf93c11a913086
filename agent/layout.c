#include "agent/layout.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/buckets.h"
#include "agent/platform/platform.h"
#include "agent/space.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "proto/phase_memory.h"

#define PIECE (1U << 20)
_Static_assert(PIECE <= PHASE_MEMORY_LAYOUT, "a lay-out takes more than is said");

#define SYNC_EVERY (256U << 20) /* what is buffered is synced in steps that show */

struct gap {
	uint64_t from, to;
};

struct layout_file {
	const struct part *part;
	const atomic_bool *cancel;
	struct layout_data data;
	uint64_t owner, generation;
	struct pattern_key key;
	uint64_t total_bytes;
	struct gap *gaps;
	uint32_t gaps_count;

	/* the file's thread */
	pthread_t thread;
	int fd, direct_fd; /* direct_fd -1: not possible */
	char *buffer;
	uint64_t unsynced_bytes;
	uint64_t reached; /* all before it is written */
	bool failed;
	struct error error;

	/* single writer: the file's thread */
	_Atomic uint64_t done_bytes, moved_ns;
	atomic_bool is_done;
};

/* ---- what there is to do ---- */

static void find_gaps(struct layout_file *file, const struct written *written)
{
	uint64_t from, to = 0, end = file->part->used_bytes;

	while (written_gap(written, file->part->path, to, end, &from, &to)) {
		struct gap *gap = RECORD_APPEND(file->gaps, file->gaps_count);
		*gap = (struct gap){from, to};
		file->total_bytes += to - from;
	}
}

uint32_t layout_files(struct part *const *parts, uint32_t count, const struct written *written,
		      const struct phase *phase)
{
	uint32_t files = 0;

	for (uint32_t i = 0; phase->op != PHASE_OP_WRITE && i < count; i++)
		files += parts[i]->kind == PART_FILE &&
			 (parts[i]->is_absent ||
			  written_missing(written, parts[i]->path, parts[i]->used_bytes) > 0);
	return files;
}

void layout_init(struct layout *layout, struct part *const *parts, uint32_t count,
		 const struct written *written, const struct layout_data *data,
		 const atomic_bool *cancel)
{
	layout->files = mem_new(count, sizeof(*layout->files));
	layout->cancel = cancel;
	for (uint32_t i = 0; i < count; i++) {
		const struct part *part = parts[i];
		if (part->kind != PART_FILE)
			continue;
		struct layout_file *file = &layout->files[layout->count];
		*file = (struct layout_file){
			.part = part, .cancel = cancel, .data = *data, .fd = -1, .direct_fd = -1};
		file->generation = written_generation(written, part->path);
		file->owner = pattern_owner(data->host, part->target->name);
		file->key = pattern_key(data->seed, file->owner, file->generation, data->shape);
		find_gaps(file, written);
		if (file->gaps_count)
			layout->count++;
	}
}

void layout_release(struct layout *layout)
{
	for (uint32_t i = 0; i < layout->count; i++)
		free(layout->files[i].gaps);
	free(layout->files);
	layout->files = NULL;
	layout->count = 0;
}

bool layout_is_needed(const struct layout *layout)
{
	return layout->count > 0;
}

/* ---- one file ---- */

static int fail(struct layout_file *file, const char *what, int number)
{
	const struct part *part = file->part;

	if (number == ENOSPC || number == EDQUOT)
		space_explain(part, part->target->name, &file->error);
	else
		error_set(&file->error, ERROR_BROKEN, "target '%s': lay-out cannot %s '%s': %s",
			  part->target->name, what, part->path, strerror(number));
	return -1;
}

/* The same file as the phase's I/O goes to, for writing. */
static int open_same(struct layout_file *file, bool direct, int *fd)
{
	struct stat one, other;

	const struct part *part = file->part;

	if (platform_open_file(part->place.directory, part->place.name, part->path, true, direct,
			       fd, &file->error)) {
		*fd = -1;
		file->error.kind = ERROR_BROKEN;
		return -1;
	}
	if (fstat(*fd, &one) || fstat(file->part->fd, &other))
		return fail(file, "stat", errno);
	if (one.st_dev == other.st_dev && one.st_ino == other.st_ino)
		return 0;
	error_set(&file->error, ERROR_BROKEN, "target '%s': another file stands at '%s' now",
		  file->part->target->name, file->part->path);
	return -1;
}

static int open_file(struct layout_file *file)
{
	struct error ignored = file->error;

	if (open_same(file, false, &file->fd))
		return -1;
	if (file->part->storage.direct != PLATFORM_DIRECT_NO &&
	    open_same(file, true, &file->direct_fd)) {
		/* "direct where possible" */
		if (file->direct_fd >= 0)
			close(file->direct_fd);
		file->direct_fd = -1;
		file->error = ignored;
	}
	file->buffer = platform_buffer(PIECE, PIECE);
	return file->buffer ? 0 : fail(file, "get memory for", ENOMEM);
}

static void step(struct layout_file *file, uint64_t bytes)
{
	bucket_count(&file->done_bytes, bytes);
	atomic_store_explicit(&file->moved_ns, clock_now_ns(), memory_order_relaxed);
}

static bool can_be_direct(const struct layout_file *file, uint64_t offset, size_t length)
{
	uint64_t alignment = file->part->storage.alignment_bytes;

	if (file->direct_fd < 0)
		return false;
	return !alignment || (offset % alignment == 0 && length % alignment == 0);
}

static int write_piece(struct layout_file *file, uint64_t offset, size_t length)
{
	size_t moved = 0;

	pattern_fill(file->buffer, length, file->key, offset);
	while (moved < length) {
		bool direct = can_be_direct(file, offset + moved, length - moved);
		struct iovec vector = {file->buffer + moved, length - moved};
		ssize_t result = platform_writev(direct ? file->direct_fd : file->fd, &vector, 1,
						 offset + moved);
		if (result < 0 && errno == EINTR)
			continue;
		if (result <= 0)
			return fail(file, "write", result ? errno : ENOSPC);
		moved += (size_t)result;
		file->unsynced_bytes += direct ? 0 : (uint64_t)result;
	}
	file->reached = offset + length;
	step(file, length);
	return 0;
}

static int sync_file(struct layout_file *file)
{
	if (fsync(file->fd))
		return fail(file, "sync", errno);
	file->unsynced_bytes = 0;
	step(file, 0);
	return 0;
}

static int write_gap(struct layout_file *file, const struct gap *gap)
{
	uint64_t at = gap->from;

	file->reached = at;
	int full = platform_allocate(file->fd, gap->from, gap->to - gap->from);
	if (full)
		return fail(file, "allocate", full);
	while (at < gap->to) {
		uint64_t piece = PIECE - at % PIECE;
		if (piece > gap->to - at)
			piece = gap->to - at;
		if (atomic_load_explicit(file->cancel, memory_order_relaxed)) {
			error_set(&file->error, ERROR_BROKEN, "stopped while laying out");
			return -1;
		}
		if (write_piece(file, at, piece))
			return -1;
		if (file->unsynced_bytes >= SYNC_EVERY && sync_file(file))
			return -1;
		at += piece;
	}
	return 0;
}

static int write_file(struct layout_file *file)
{
	if (open_file(file))
		return -1;
	for (uint32_t i = 0; i < file->gaps_count; i++)
		if (write_gap(file, &file->gaps[i]))
			return -1;
	file->reached = file->part->used_bytes;
	return sync_file(file);
}

static void *file_main(void *context)
{
	struct layout_file *file = context;

	platform_thread_name("layout");
	file->failed = write_file(file) != 0;
	if (file->fd >= 0)
		close(file->fd);
	if (file->direct_fd >= 0)
		close(file->direct_fd);
	free(file->buffer);
	file->buffer = NULL;
	atomic_store(&file->is_done, true);
	return NULL;
}

/* ---- all of them ---- */

static uint32_t start_threads(struct layout *layout)
{
	uint32_t started = 0;

	for (; started < layout->count; started++) {
		struct layout_file *file = &layout->files[started];
		int failed = pthread_create(&file->thread, NULL, file_main, file);
		if (failed) {
			file->failed = true;
			fail(file, "start a thread for", failed);
			break;
		}
	}
	return started;
}

int layout_run(struct layout *layout, const char **target, struct error *err)
{
	uint64_t now = clock_now_ns();

	for (uint32_t i = 0; i < layout->count; i++)
		atomic_store(&layout->files[i].moved_ns, now);
	atomic_store(&layout->is_running, true);
	uint32_t started = start_threads(layout);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(layout->files[i].thread, NULL);
	atomic_store(&layout->is_running, false);
	for (uint32_t i = 0; i < layout->count; i++) {
		if (!layout->files[i].failed)
			continue;
		*target = layout->files[i].part->target->name;
		*err = layout->files[i].error;
		return -1;
	}
	return 0;
}

/* The gaps are in order, so that all of them before `reached` is written now. */
static void record_gaps(const struct layout_file *file, struct written *written)
{
	for (uint32_t i = 0; i < file->gaps_count; i++) {
		const struct gap *gap = &file->gaps[i];
		struct written_range range = {
			.from = gap->from,
			.to = gap->to < file->reached ? gap->to : file->reached,
			.seed = file->data.seed,
			.owner = file->owner,
			.oldest = file->generation,
			.newest = file->generation,
			.shape = file->data.shape,
		};
		written_set(written, file->part->path, &range);
	}
}

void layout_record(const struct layout *layout, struct written *written)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct layout_file *file = &layout->files[i];
		record_gaps(file, written);
		written_set_generation(written, file->part->path, file->generation + 1);
	}
}

bool layout_progress(const struct layout *layout, struct progress *progress, uint64_t *moved_ns)
{
	if (!atomic_load(&layout->is_running))
		return false;
	*progress = (struct progress){0};
	*moved_ns = UINT64_MAX;
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct layout_file *file = &layout->files[i];
		uint64_t moved = atomic_load(&file->moved_ns);
		progress->done_bytes += atomic_load(&file->done_bytes);
		progress->total_bytes += file->total_bytes;
		if (atomic_load(&file->is_done) || moved >= *moved_ns)
			continue;
		*moved_ns = moved;
		progress->target = file->part->target->name;
	}
	return progress->target != NULL;
}
