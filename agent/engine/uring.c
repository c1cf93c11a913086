/* uring.c - io_uring: one ring a worker, its files and buffers registered, one system call for each
 * turn of submitting and reaping.
 *
 * submit() fills the ring; the system call that reap() makes to wait takes it along. Only the first
 * submit of all goes out by itself: the start of a phase waits for nobody.
 *
 * No completion is lost: at most `depth` entries are on their way and the ring has room for twice
 * as many. A system call that fails for good looks like I/O that does not come back, which the
 * session sees (outstanding.h). */
#include "agent/engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <liburing.h>

#include "common/clock.h"
#include "common/memory.h"

/* Of a ring, in the kernel (IORING_MAX_ENTRIES). */
#define MOST_DEPTH 32768

/* An I/O that the kernel says to try again is, so often. */
#define MOST_TRIES 100

/* Of the read that proves that polling is possible. */
#define POLLED_MOST      ((size_t)1 << 20)
#define POLLED_ALIGNMENT 4096

/* Of the address of an I/O as user data: this completion is of its fsync. */
#define IS_SYNC 1

struct engine {
	struct io_uring ring;
	uint32_t depth, in_flight; /* I/Os */
	bool has_files, has_buffers, sync_each;
	/* To be registered, by the thread whose memory they are of. */
	struct iovec *buffers;
	int *fds;
	uint32_t buffers_count, fds_count;
	bool is_disabled; /* until its thread comes */
	bool has_begun;   /* something was submitted */
	/* Where the ring cannot be used after all, what is submitted comes back as failed. */
	int broken; /* errno */
	struct io **failed;
	uint32_t failed_count;
	char note[512];
};

/* ---- what the system lets us ---- */

/* Best first. The ring begins disabled, so that the thread that enables it is its only one. */
static const struct {
	unsigned flags;
	const char *lacks; /* what is amiss from here on */
} setups[] = {
	{IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
		 IORING_SETUP_DEFER_TASKRUN,
	 NULL},
	{IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
		 IORING_SETUP_COOP_TASKRUN,
	 "DEFER_TASKRUN (Linux 6.1)"},
	{IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN,
	 "SINGLE_ISSUER (Linux 6.0)"},
	{0, "COOP_TASKRUN (Linux 5.19)"},
};
#define SETUPS (sizeof(setups) / sizeof(setups[0]))

static int sysctl_disabled(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

static unsigned long long lockable_kib(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) ? 0 : (unsigned long long)limit.rlim_cur / 1024;
}

static void explain(int number, struct error *err)
{
	int disabled = sysctl_disabled();

	if (number == EPERM && disabled)
		error_set(err, ERROR_REFUSED,
			  "the system has io_uring switched off (sysctl kernel.io_uring_disabled "
			  "is %d): set it to 0",
			  disabled);
	else if (number == EPERM || number == EACCES)
		error_set(err, ERROR_REFUSED,
			  "io_uring is forbidden to this process (%s), as container run times do: "
			  "allow io_uring_setup, io_uring_enter and io_uring_register in its "
			  "seccomp profile",
			  strerror(number));
	else if (number == ENOSYS)
		error_set(err, ERROR_REFUSED,
			  "this kernel has no io_uring (Linux 5.6 has), or a seccomp filter hides "
			  "it");
	else if (number == ENOMEM)
		error_set(err, ERROR_REFUSED,
			  "no memory for a ring of io_uring: RLIMIT_MEMLOCK is %llu KiB: raise it "
			  "('ulimit -l', or LimitMEMLOCK= of the service)",
			  lockable_kib());
	else
		error_set(err, ERROR_REFUSED, "cannot make a ring of io_uring: %s",
			  strerror(number));
}

/* Which of the set-ups the ring has; -errno when it has none. `more`: flags that it must have. */
static int make_ring(struct io_uring *ring, uint32_t depth, unsigned more)
{
	int failed = -EINVAL;

	for (size_t i = 0; i < SETUPS && failed == -EINVAL; i++) {
		failed = io_uring_queue_init(depth, ring, setups[i].flags | more);
		if (!failed)
			return (int)i;
	}
	return failed;
}

static bool has_operations(struct io_uring *ring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
	bool has = probe && io_uring_opcode_supported(probe, IORING_OP_READ) &&
		   io_uring_opcode_supported(probe, IORING_OP_WRITE);

	io_uring_free_probe(probe);
	return has;
}

static int uring_probe(struct error *err)
{
	struct io_uring ring;
	int setup = make_ring(&ring, 1, 0);

	if (setup < 0) {
		explain(-setup, err);
		return -1;
	}
	bool has = has_operations(&ring);
	io_uring_queue_exit(&ring);
	if (!has)
		error_set(err, ERROR_REFUSED,
			  "io_uring of this kernel has not all that is needed: Linux 5.6 has");
	return has ? 0 : -1;
}

/* ---- life ---- */

static void add_note(struct engine *engine, const char *text)
{
	size_t used = strlen(engine->note);

	snprintf(engine->note + used, sizeof(engine->note) - used, "%s%s", used ? "; " : "", text);
}

static void note_refusal(struct engine *engine, const char *what, int number)
{
	char text[256];

	if (number == ENOMEM)
		snprintf(text, sizeof(text),
			 "%s are not registered: %s; RLIMIT_MEMLOCK is %llu KiB: raise it", what,
			 strerror(number), lockable_kib());
	else
		snprintf(text, sizeof(text), "%s are not registered: %s", what, strerror(number));
	add_note(engine, text);
}

static void register_all(struct engine *engine)
{
	int failed = 0;

	if (engine->buffers_count)
		failed = io_uring_register_buffers(&engine->ring, engine->buffers,
						   engine->buffers_count);
	engine->has_buffers = engine->buffers_count && !failed;
	if (failed)
		note_refusal(engine, "I/O buffers", -failed);
	failed = 0;
	if (engine->fds_count)
		failed = io_uring_register_files(&engine->ring, engine->fds, engine->fds_count);
	engine->has_files = engine->fds_count && !failed;
	if (failed)
		note_refusal(engine, "files", -failed);
}

/* One read by polling, of each file: whether it is possible file systems and drivers say with an
 * I/O. A file that is empty yet answers as well. -errno, or what was read. */
static int read_polled(struct io_uring *ring, int fd, void *buffer, size_t size)
{
	struct io_uring_cqe *entry;
	struct io_uring_sqe *request = io_uring_get_sqe(ring);

	io_uring_prep_read(request, fd, buffer, (unsigned)size, 0);
	int failed = io_uring_submit_and_wait(ring, 1);
	if (failed < 0 || (failed = io_uring_wait_cqe(ring, &entry)) < 0)
		return failed;
	int result = entry->res;
	io_uring_cqe_seen(ring, entry);
	return result;
}

static int check_polling(const struct engine_setup *setup, struct error *err)
{
	struct io_uring ring;
	size_t size = setup->buffers_count ? setup->buffers[0].iov_len : 0;
	void *buffer = NULL;

	size = size && size < POLLED_MOST ? size : POLLED_MOST;
	int result = io_uring_queue_init(1, &ring, IORING_SETUP_IOPOLL);
	bool is_made = !result;
	if (is_made && posix_memalign(&buffer, POLLED_ALIGNMENT, size))
		result = -ENOMEM;
	for (uint32_t i = 0; result >= 0 && i < setup->fds_count; i++)
		result = read_polled(&ring, setup->fds[i], buffer, size);
	if (result < 0)
		error_set(err, ERROR_REFUSED,
			  "iopoll is not possible: a read by polling fails: %s%s; leave iopoll out",
			  strerror(-result),
			  result == -EOPNOTSUPP ? " (no polling in its file system or driver)"
						: "");
	free(buffer);
	if (is_made)
		io_uring_queue_exit(&ring);
	return result < 0 ? -1 : 0;
}

static void keep(struct engine *engine, const struct engine_setup *setup)
{
	engine->buffers_count = setup->buffers_count;
	engine->fds_count = setup->fds_count;
	engine->buffers = mem_new(setup->buffers_count + 1, sizeof(*engine->buffers));
	engine->fds = mem_new(setup->fds_count + 1, sizeof(*engine->fds));
	for (uint32_t i = 0; i < setup->buffers_count; i++)
		engine->buffers[i] = setup->buffers[i];
	for (uint32_t i = 0; i < setup->fds_count; i++)
		engine->fds[i] = setup->fds[i];
}

static struct engine *uring_open(const struct engine_setup *setup, struct error *err)
{
	if (setup->depth > MOST_DEPTH) {
		error_set(err, ERROR_REFUSED,
			  "queue_depth times the parts of the stripe are %u I/Os, and a ring of "
			  "io_uring takes %d: use a lower queue_depth",
			  setup->depth, MOST_DEPTH);
		return NULL;
	}
	if (setup->polls && check_polling(setup, err))
		return NULL;
	struct engine *engine = mem_new(1, sizeof(*engine));
	int made = make_ring(&engine->ring, setup->depth, setup->polls ? IORING_SETUP_IOPOLL : 0);
	if (made < 0) {
		explain(-made, err);
		free(engine);
		return NULL;
	}
	engine->depth = setup->depth;
	engine->sync_each = setup->sync_each;
	engine->is_disabled = setups[made].flags & IORING_SETUP_R_DISABLED;
	engine->failed = mem_new(setup->depth, sizeof(*engine->failed));
	if (setups[made].lacks) {
		char text[128];
		snprintf(text, sizeof(text), "this kernel's io_uring has no %s",
			 setups[made].lacks);
		add_note(engine, text);
	}
	keep(engine, setup);
	return engine;
}

/* The ring's own descriptor is registered for this thread alone, and goes with it. Where that is
 * refused the ring works as well. io_uring_enable_rings() is declared in liburing 2.3 and missing
 * in its shared library. */
static void uring_begin(struct engine *engine)
{
	if (engine->is_disabled)
		engine->broken = -io_uring_register((unsigned)engine->ring.ring_fd,
						    IORING_REGISTER_ENABLE_RINGS, NULL, 0);
	engine->is_disabled = false;
	io_uring_register_ring_fd(&engine->ring);
	register_all(engine);
}

/* The kernel takes a ring apart some time after it was closed. Until then its files would be open:
 * no unmounting, no end of a device's last close; and its buffers would count as locked. */
static void uring_end(struct engine *engine)
{
	if (engine->has_files)
		io_uring_unregister_files(&engine->ring);
	if (engine->has_buffers)
		io_uring_unregister_buffers(&engine->ring);
	engine->has_files = engine->has_buffers = false;
}

static const char *uring_note(const struct engine *engine)
{
	return engine->note[0] ? engine->note : NULL;
}

static void uring_close(struct engine *engine)
{
	if (!engine)
		return;
	uring_end(engine); /* of one that never began */
	io_uring_queue_exit(&engine->ring);
	free(engine->buffers);
	free(engine->fds);
	free(engine->failed);
	free(engine);
}

/* ---- the ring ---- */

static uint8_t operation_of(const struct engine *engine, const struct io *io)
{
	bool is_read = io->kind == IO_READ;

	if (io->vector_count > 1)
		return is_read ? IORING_OP_READV : IORING_OP_WRITEV;
	if (engine->has_buffers)
		return is_read ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
	return is_read ? IORING_OP_READ : IORING_OP_WRITE;
}

/* The ring has an entry for each I/O, and no I/O has two. */
static struct io_uring_sqe *next_entry(struct engine *engine, const struct io *io, uintptr_t mark)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&engine->ring);

	memset(entry, 0, sizeof(*entry));
	entry->fd = engine->has_files ? (int)io->file : io->fd;
	entry->flags = engine->has_files ? IOSQE_FIXED_FILE : 0;
	entry->user_data = (uintptr_t)io | mark;
	return entry;
}

static void queue(struct engine *engine, const struct io *io)
{
	struct io_uring_sqe *entry = next_entry(engine, io, 0);
	bool is_vector = io->vector_count > 1;

	entry->opcode = operation_of(engine, io);
	entry->off = io->offset;
	entry->addr = is_vector ? (uintptr_t)io->vector : (uintptr_t)io->vector->iov_base;
	entry->len = is_vector ? (uint32_t)io->vector_count : (uint32_t)io->length;
	if (engine->has_buffers)
		entry->buf_index = (uint16_t)io->buffer;
}

static void queue_sync(struct engine *engine, const struct io *io)
{
	next_entry(engine, io, IS_SYNC)->opcode = IORING_OP_FSYNC;
}

/* Sends what is queued, waits for a completion where asked. Whatever fails is for the caller to
 * try again: it asks until it has what it wants. */
static void enter(struct engine *engine, bool wait)
{
	int sent = io_uring_submit_and_wait(&engine->ring, wait);
	bool is_passing = sent >= 0 || sent == -EINTR;

	if (!is_passing && !io_uring_cq_ready(&engine->ring))
		clock_sleep(NS_PER_MS);
}

/* One of the I/O's entries came back; answers whether the I/O is complete. */
static bool is_complete(struct engine *engine, struct io *io, int result, bool is_sync)
{
	if ((result == -EAGAIN || result == -EINTR) && io->tries++ < MOST_TRIES) {
		is_sync ? queue_sync(engine, io) : queue(engine, io);
		return false;
	}
	if (!is_sync)
		io->result = result;
	else if (result < 0)
		io->result = result;
	if (is_sync || !engine->sync_each || io->kind != IO_WRITE || result < 0)
		return true;
	queue_sync(engine, io);
	return false;
}

static uint32_t take(struct engine *engine, struct io **ios, uint32_t at_most)
{
	uint64_t now = clock_now_ns();
	uint32_t count = 0, seen = 0;
	struct io_uring_cqe *entry;
	unsigned head;

	io_uring_for_each_cqe(&engine->ring, head, entry)
	{
		struct io *io = (void *)(uintptr_t)(entry->user_data & ~(uint64_t)IS_SYNC);
		if (count == at_most)
			break;
		seen++;
		if (!is_complete(engine, io, entry->res, entry->user_data & IS_SYNC))
			continue;
		io->completed_ns = now;
		ios[count++] = io;
	}
	io_uring_cq_advance(&engine->ring, seen);
	return count;
}

static uint32_t take_failed(struct engine *engine, struct io **ios, uint32_t at_most)
{
	uint32_t count = 0;

	while (count < at_most && engine->failed_count)
		ios[count++] = engine->failed[--engine->failed_count];
	engine->in_flight -= count;
	return count;
}

static void fail(struct engine *engine, struct io *io)
{
	io->result = -engine->broken;
	io->completed_ns = io->submitted_ns;
	engine->failed[engine->failed_count++] = io;
}

/* ---- submit and reap ---- */

static uint32_t uring_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	uint32_t room = engine->depth - engine->in_flight;
	uint64_t now = clock_now_ns();

	if (count > room)
		count = room;
	for (uint32_t i = 0; i < count; i++) {
		ios[i]->submitted_ns = now;
		ios[i]->tries = 0;
		if (engine->broken)
			fail(engine, ios[i]);
		else
			queue(engine, ios[i]);
	}
	engine->in_flight += count;
	if (!engine->has_begun && !engine->broken)
		enter(engine, false);
	engine->has_begun = true;
	return count;
}

static uint32_t uring_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			   uint32_t at_most)
{
	uint32_t count = 0;

	if (engine->broken)
		return take_failed(engine, ios, at_most);
	if (at_least > engine->in_flight)
		at_least = engine->in_flight;
	do {
		bool must_wait = count < at_least && !io_uring_cq_ready(&engine->ring);
		if (must_wait || io_uring_sq_ready(&engine->ring))
			enter(engine, must_wait);
		count += take(engine, ios + count, at_most - count);
	} while (count < at_least);
	/* A sync that is due does not wait for the worker to come again. */
	if (engine->sync_each && io_uring_sq_ready(&engine->ring))
		enter(engine, false);
	engine->in_flight -= count;
	return count;
}

/* Kernels before 5.11 cannot wait with an end: looked at again and again. */
static void uring_wait(struct engine *engine, uint64_t until_ns)
{
	uint64_t now = clock_now_ns();
	struct io_uring_cqe *entry;

	if (engine->broken)
		return;
	if (until_ns <= now || !engine->in_flight) {
		io_uring_submit_and_get_events(&engine->ring);
		return;
	}
	if (engine->ring.features & IORING_FEAT_EXT_ARG) {
		struct __kernel_timespec left = {.tv_sec = (long long)((until_ns - now) / NS_PER_S),
						 .tv_nsec =
							 (long long)((until_ns - now) % NS_PER_S)};
		io_uring_submit_and_wait_timeout(&engine->ring, &entry, 1, &left, NULL);
		return;
	}
	io_uring_submit(&engine->ring);
	while (!io_uring_cq_ready(&engine->ring) && clock_now_ns() < until_ns)
		clock_sleep(20 * NS_PER_US);
}

const struct engine_ops engine_uring = {
	.name = "uring",
	.probe = uring_probe,
	.open = uring_open,
	.begin = uring_begin,
	.end = uring_end,
	.note = uring_note,
	.submit = uring_submit,
	.reap = uring_reap,
	.wait = uring_wait,
	.close = uring_close,
};
