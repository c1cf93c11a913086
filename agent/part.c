#include "agent/part.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/direct.h"
#include "agent/safety.h"
#include "common/memory.h"
#include "common/text.h"

void part_note(const struct part_context *context, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	struct name *note = RECORD_APPEND(context->ready->notes, context->ready->notes_count);
	note->name = mem_text(text);
}

/* ---- finding ---- */

/* What was unmounted meanwhile would be made on the disk beneath its mount point. */
static int check_ground(const struct part *part, const struct part_context *context,
			struct error *err)
{
	struct stat st;

	if (fstat(part->place.directory, &st) == 0 &&
	    written_is_ground(context->written, part->path, (uint64_t)st.st_dev))
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s': the directory of '%s' is on another file system than when this run "
		  "began: was something mounted or unmounted? nothing was touched",
		  part->target->name, part->path);
	return -1;
}

static int find_file(struct part *part, const struct part_context *context, struct error *err)
{
	struct stat st;

	if (safety_file(context->config, context->files, part->target, context->host, &part->path,
			&part->place, err))
		return -1;
	part->known_as = mem_text(part->path);
	if (check_ground(part, context, err))
		return -1;
	part->extent_bytes = part->target->size_bytes;
	if (file_place_stat(&part->place, &st)) {
		part->allocated_bytes = (uint64_t)st.st_blocks * 512;
	} else if (errno == ENOENT) {
		part->is_absent = true;
		return 0;
	} else {
		error_set(err, ERROR_SYSTEM, "target '%s': cannot stat '%s': %s",
			  part->target->name, part->path, strerror(errno));
		return -1;
	}
	if (made_files_has(context->files, part->path, &part->place))
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s': '%s' exists and muster did not make it: move it away, or name "
		  "another path",
		  part->target->name, part->path);
	return -1;
}

static int find_device(struct part *part, const struct part_context *context, struct error *err)
{
	const struct target *target = part->target;
	struct safety_device device;
	char *note = NULL;

	if (safety_device(context->config, target, phase_writes(context->phase), context->openers,
			  &device, &note, err))
		return -1;
	if (note)
		part_note(context, "%s", note);
	free(note);
	part->path = mem_text(target->device);
	part->identity = mem_text(device.identity);
	part->data = device.data;
	part->known_as = mem_text(device.identity[0] ? device.identity : target->device);
	part->storage = device.storage;
	part->extent_bytes = target->size_bytes ? target->size_bytes : part->storage.size_bytes;
	if (part->extent_bytes <= part->storage.size_bytes)
		return 0;
	error_set(
		err, ERROR_REFUSED,
		"target '%s': device '%s' has %llu bytes and size asks for %llu: the most is %llu",
		target->name, target->device, (unsigned long long)part->storage.size_bytes,
		(unsigned long long)target->size_bytes,
		(unsigned long long)part->storage.size_bytes);
	return -1;
}

/* A file or null without a size has as much as the phase moves. */
static int has_extent(struct part *part, const struct part_context *context, struct error *err)
{
	if (!part->extent_bytes)
		part->extent_bytes = context->phase->size_bytes;
	if (part->extent_bytes)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s' has no size: give it one, or give phase '%s' one",
		  part->target->name, context->phase->name);
	return -1;
}

int part_find(struct part *part, const struct target *target, const struct part_context *context,
	      struct error *err)
{
	*part = (struct part){
		.target = target, .fd = -1, .io = TARGET_IO_NONE, .place.directory = -1};
	part->storage.memory_alignment_bytes = 1;
	if (target->device) {
		part->kind = PART_DEVICE;
		if (find_device(part, context, err))
			return -1;
	} else if (target->path) {
		part->kind = PART_FILE;
		if (find_file(part, context, err))
			return -1;
	} else if (target->null) {
		part->kind = PART_NULL;
		part->extent_bytes = target->size_bytes;
	} else {
		error_set(err, ERROR_REFUSED,
			  "target '%s' is neither a path, a device nor null: give it one of them",
			  target->name);
		return -1;
	}
	return has_extent(part, context, err);
}

/* ---- opening ---- */

static int differs(const struct part *part, const char *how, struct error *err)
{
	error_set(err, ERROR_REFUSED,
		  "target '%s': '%s' is no longer what was checked (%s): nothing was touched",
		  part->target->name, part->path, how);
	return -1;
}

/* The path may have been swapped since it was checked: what counts is what is open. */
static int check_file(const struct part *part, const struct part_context *context,
		      struct error *err)
{
	struct stat open_one, named_one;

	if (fstat(part->fd, &open_one) || !file_place_stat(&part->place, &named_one))
		return differs(part, strerror(errno), err);
	if (!S_ISREG(open_one.st_mode) || open_one.st_dev != named_one.st_dev ||
	    open_one.st_ino != named_one.st_ino)
		return differs(part, "another file stands there", err);
	if (!made_files_has(context->files, part->path, &part->place))
		return differs(part, "muster did not make it", err);
	return 0;
}

static int check_device(const struct part *part, const struct part_context *context,
			struct error *err)
{
	struct platform_storage now;
	char identity[PLATFORM_IDENTITY_SIZE];

	if (platform_storage(part->fd, part->path, &now, err))
		return -1;
	if (!now.device || now.device_id != part->storage.device_id ||
	    now.size_bytes != part->storage.size_bytes)
		return differs(part, "another device stands there", err);
	platform_identity(part->fd, part->path, identity);
	if (strcmp(identity, part->identity))
		return differs(part, "another device has its name now", err);
	if (phase_writes(context->phase) && !text_is(identity, part->target->destroy))
		return differs(part, "its identity is not the one in 'destroy'", err);
	return 0;
}

static int open_file(struct part *part, const struct part_context *context, bool direct,
		     struct error *err)
{
	int fd;

	if (platform_open_file(part->place.directory, part->place.name, part->path,
			       phase_writes(context->phase), direct, &fd, err))
		return -1;
	if (part->fd >= 0)
		close(part->fd);
	part->fd = fd;
	return check_file(part, context, err);
}

static int open_device(struct part *part, const struct part_context *context, bool direct,
		       struct error *err)
{
	int failed = phase_writes(context->phase)
			     ? platform_open_exclusive(part->path, direct, &part->fd, err)
			     : platform_open(part->path, false, direct, &part->fd, err);

	return failed ? -1 : check_device(part, context, err);
}

static int make_file(struct part *part, const struct part_context *context, struct error *err)
{
	if (made_files_create(context->files, part->path, &part->place, &part->fd, err)) {
		part->fd = -1;
		return -1;
	}
	written_forget(context->written, part->path);
	return 0;
}

/* A file says what lies behind it only when open: buffered at first. */
static int learn_file(struct part *part, const struct part_context *context, struct error *err)
{
	if (part->is_absent ? make_file(part, context, err) : open_file(part, context, false, err))
		return -1;
	if (part->target->nodatacow && platform_write_in_place(part->fd, part->path, err))
		return -1;
	if (part->target->keep)
		made_files_keep(context->files, part->path);
	if (part->target->remove)
		made_files_drop(context->files, part->path);
	return platform_storage(part->fd, part->path, &part->storage, err);
}

static int check_ram(const struct part *part, const struct part_context *context, struct error *err)
{
	if (!part->storage.ram)
		return 0;
	if (context->phase->allow_ram) {
		part_note(context, "target '%s' is held in memory: %s", part->target->name,
			  part->storage.ram_reason);
		return 0;
	}
	error_set(err, ERROR_REFUSED,
		  "target '%s': '%s' is held in memory: %s; name a place on a disk, or set "
		  "'allow_ram: true', which every report repeats",
		  part->target->name, part->path, part->storage.ram_reason);
	error_code(err, "RAM_TARGET");
	return -1;
}

/* A file that is not there yet will be on what its directory is on. */
static int look_at_directory(struct part *part, const struct part_context *context,
			     struct error *err)
{
	struct platform_storage storage;

	if (platform_storage(part->place.directory, part->path, &storage, err))
		return -1;
	part->storage.ram = storage.ram;
	snprintf(part->storage.ram_reason, sizeof(part->storage.ram_reason), "%s",
		 storage.ram_reason);
	return check_ram(part, context, err);
}

int part_look(struct part *part, const struct part_context *context, struct error *err)
{
	if (part->kind == PART_NULL)
		return 0;
	if (part->kind == PART_FILE)
		return look_at_directory(part, context, err);
	return check_ram(part, context, err) || direct_decide(part, context, err) ? -1 : 0;
}

static int open_for_io(struct part *part, const struct part_context *context, struct error *err)
{
	bool direct = part->io != TARGET_IO_BUFFERED;

	if (part->kind == PART_DEVICE)
		return open_device(part, context, direct, err);
	/* Already open buffered; what was made is open for reading too, which does no harm. */
	return direct ? open_file(part, context, true, err) : check_file(part, context, err);
}

/* A piece that is no whole unit is passed over by devices without a word. */
static int check_trim(const struct part *part, const struct part_context *context,
		      struct error *err)
{
	const struct phase *phase = context->phase;
	uint64_t unit;

	if (phase->op != PHASE_OP_TRIM)
		return 0;
	if (platform_trim_probe(part->fd, part->path, part->kind == PART_DEVICE, &unit, err)) {
		error_prefix(err, "target '%s'", part->target->name);
		return -1;
	}
	uint64_t piece = written_unit(phase->block_size, part->unit_bytes);
	for (uint32_t i = 0; i < phase->block_mix_count; i++)
		piece = written_unit(piece, phase->block_mix[i].size);
	if (!unit || piece % unit == 0)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s': '%s' gives back whole units of %llu bytes, and block_size, or the "
		  "stripe's unit, is in pieces of %llu: use a multiple of %llu",
		  part->target->name, part->path, (unsigned long long)unit,
		  (unsigned long long)piece, (unsigned long long)unit);
	return -1;
}

static int open_as_wanted(struct part *part, const struct part_context *context, struct error *err)
{
	if (part->kind == PART_FILE && learn_file(part, context, err))
		return -1;
	if (check_ram(part, context, err) || direct_decide(part, context, err))
		return -1;
	if (open_for_io(part, context, err) == 0)
		return 0;
	if (part->fd >= 0 && part->kind == PART_DEVICE)
		return -1; /* open, but not what was checked */
	if (part->io == TARGET_IO_BUFFERED || context->phase->direct != PHASE_DIRECT_PREFER)
		return -1;
	direct_fall_back(part, context, err->text);
	return open_for_io(part, context, err);
}

int part_open(struct part *part, const struct part_context *context, struct error *err)
{
	if (part->kind == PART_NULL)
		return 0;
	return open_as_wanted(part, context, err) || check_trim(part, context, err) ? -1 : 0;
}

int part_sync(const struct part *part, enum phase_sync_call call)
{
	if (part->fd < 0)
		return 0;
	return platform_sync(part->fd, call == PHASE_SYNC_CALL_FDATASYNC);
}

void part_close(struct part *part)
{
	if (part->fd >= 0)
		close(part->fd);
	part->fd = -1;
}

void part_release(struct part *part)
{
	part_close(part);
	file_place_close(&part->place);
	free(part->path);
	free(part->identity);
	free(part->data);
	free(part->known_as);
	part->path = part->identity = part->data = part->known_as = NULL;
}
