/* aio.c - Linux's native AIO by its own system calls: one context a worker, all of a batch in one
 * io_submit, completions taken from the ring that the kernel shares with us.
 *
 * It issues I/O in the caller's own thread and waits where a device or file has to wait. On devices
 * that complete at once and cannot say beforehand whether they will (zram, brd, others that know no
 * RWF_NOWAIT) this is what makes it cheaper than io_uring, which hands each such I/O to a thread of
 * the kernel. Buffered I/O is complete before io_submit returns.
 *
 * No completion is lost: the context has room for all that may be in flight. */
#include "agent/engine/engine.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/aio_abi.h>
#include <sys/syscall.h>

#include "common/clock.h"
#include "common/memory.h"

/* An I/O that the kernel says to try again is, so often. */
#define MOST_TRIES 100

/* Of the address of an I/O as user data: this completion is of its fsync. */
#define IS_SYNC 1

/* What the kernel maps at a context's address, its events after the head (fs/aio.c). Who takes an
 * event moves `head`, we or the kernel in io_getevents, never both at once. */
#define RING_MAGIC 0xa10a10a1U
struct ring {
	uint32_t id, count;
	_Atomic uint32_t head, tail;
	uint32_t magic, compatible, incompatible, head_bytes;
	struct io_event events[];
};

struct engine {
	aio_context_t context;
	struct ring *ring; /* NULL: of a layout that we do not know */
	uint32_t depth, in_flight;
	bool sync_each;
	struct iocb *blocks;
	struct iocb **idle, **queued; /* depth each */
	uint32_t idle_count, queued_count, queued_sent;
	uint32_t in_kernel;      /* sent and not taken back */
	struct io_event *events; /* depth; those of wait, which a reap takes first */
	uint32_t held_first, held_count;
	struct io **failed; /* that the kernel did not take */
	uint32_t failed_count;
};

/* ---- what the system lets us ---- */

static long context_make(uint32_t depth, aio_context_t *context)
{
	*context = 0;
	return syscall(SYS_io_setup, depth, context) ? -errno : 0;
}

static void context_free(aio_context_t context)
{
	syscall(SYS_io_destroy, context);
}

static void explain(int number, uint32_t depth, struct error *err)
{
	if (number == EAGAIN)
		error_set(err, ERROR_REFUSED,
			  "the system has no room for %u more native AIO requests: raise sysctl "
			  "fs.aio-max-nr above what fs.aio-nr says is in use",
			  depth);
	else if (number == ENOSYS)
		error_set(err, ERROR_REFUSED,
			  "this kernel has no native AIO (CONFIG_AIO), or a seccomp filter hides "
			  "it");
	else if (number == EPERM || number == EACCES)
		error_set(
			err, ERROR_REFUSED,
			"native AIO is forbidden to this process (%s): allow io_setup, io_submit, "
			"io_getevents and io_destroy in its seccomp profile",
			strerror(number));
	else
		error_set(err, ERROR_REFUSED, "cannot set up native AIO: %s", strerror(number));
}

static int aio_probe(struct error *err)
{
	aio_context_t context;
	long made = context_make(1, &context);

	if (made) {
		explain((int)-made, 1, err);
		return -1;
	}
	context_free(context);
	return 0;
}

/* ---- life ---- */

static struct ring *ring_of(aio_context_t context)
{
	struct ring *ring = (void *)(uintptr_t)context;
	bool is_known = ring->magic == RING_MAGIC && !ring->incompatible &&
			ring->head_bytes == sizeof(*ring);

	return is_known ? ring : NULL;
}

static struct engine *aio_open(const struct engine_setup *setup, struct error *err)
{
	struct engine *engine = mem_new(1, sizeof(*engine));
	long made = context_make(setup->depth, &engine->context);

	if (made) {
		explain((int)-made, setup->depth, err);
		free(engine);
		return NULL;
	}
	engine->ring = ring_of(engine->context);
	engine->depth = setup->depth;
	engine->sync_each = setup->sync_each;
	engine->blocks = mem_new(setup->depth, sizeof(*engine->blocks));
	engine->idle = mem_new(setup->depth, sizeof(*engine->idle));
	engine->queued = mem_new(setup->depth, sizeof(*engine->queued));
	engine->events = mem_new(setup->depth, sizeof(*engine->events));
	engine->failed = mem_new(setup->depth, sizeof(*engine->failed));
	for (uint32_t i = setup->depth; i > 0; i--)
		engine->idle[engine->idle_count++] = &engine->blocks[i - 1];
	return engine;
}

static void aio_close(struct engine *engine)
{
	if (!engine)
		return;
	context_free(engine->context);
	free(engine->blocks);
	free(engine->idle);
	free(engine->queued);
	free(engine->events);
	free(engine->failed);
	free(engine);
}

/* ---- sending ---- */

static struct iocb *next_block(struct engine *engine, const struct io *io, uintptr_t mark)
{
	struct iocb *block = engine->idle[--engine->idle_count];

	memset(block, 0, sizeof(*block));
	block->aio_data = (uintptr_t)io | mark;
	block->aio_fildes = (uint32_t)io->fd;
	engine->queued[engine->queued_count++] = block;
	return block;
}

static void queue(struct engine *engine, const struct io *io)
{
	struct iocb *block = next_block(engine, io, 0);
	bool is_read = io->kind == IO_READ, is_vector = io->vector_count > 1;

	block->aio_offset = (int64_t)io->offset;
	if (is_vector) {
		block->aio_lio_opcode = is_read ? IOCB_CMD_PREADV : IOCB_CMD_PWRITEV;
		block->aio_buf = (uintptr_t)io->vector;
		block->aio_nbytes = (uint64_t)io->vector_count;
	} else {
		block->aio_lio_opcode = is_read ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
		block->aio_buf = (uintptr_t)io->vector->iov_base;
		block->aio_nbytes = io->length;
	}
}

/* Since Linux 4.18; an older one fails it with EINVAL, which is the write's outcome. */
static void queue_sync(struct engine *engine, const struct io *io)
{
	next_block(engine, io, IS_SYNC)->aio_lio_opcode = IOCB_CMD_FSYNC;
}

static struct io *io_of(uint64_t data)
{
	return (void *)(uintptr_t)(data & ~(uint64_t)IS_SYNC);
}

/* The kernel does not take the next one at all. */
static void fail_next(struct engine *engine, int number)
{
	struct iocb *block = engine->queued[engine->queued_sent++];
	struct io *io = io_of(block->aio_data);

	io->result = -number;
	io->completed_ns = clock_now_ns();
	engine->failed[engine->failed_count++] = io;
	engine->idle[engine->idle_count++] = block;
}

/* Whether the kernel may take the next one later; a while is let pass where nothing that is under
 * way could make room for it. */
static bool is_worth_a_try(struct engine *engine, int number)
{
	struct io *io = io_of(engine->queued[engine->queued_sent]->aio_data);

	if (number == EINTR)
		return true;
	if (number != EAGAIN || io->tries++ >= MOST_TRIES)
		return false;
	if (!engine->in_kernel)
		clock_sleep(NS_PER_MS);
	return true;
}

/* All that is queued, unless the kernel has no room: what is left goes with the next reap. */
static void send(struct engine *engine)
{
	while (engine->queued_sent < engine->queued_count) {
		long taken = syscall(SYS_io_submit, engine->context,
				     (long)(engine->queued_count - engine->queued_sent),
				     engine->queued + engine->queued_sent);
		if (taken > 0) {
			engine->queued_sent += (uint32_t)taken;
			engine->in_kernel += (uint32_t)taken;
			continue;
		}
		int number = taken < 0 ? errno : EAGAIN;
		if (!is_worth_a_try(engine, number))
			fail_next(engine, number);
		else if (number == EAGAIN && engine->in_kernel)
			break;
	}
	uint32_t left = engine->queued_count - engine->queued_sent;
	memmove(engine->queued, engine->queued + engine->queued_sent,
		left * sizeof(*engine->queued));
	engine->queued_count = left;
	engine->queued_sent = 0;
}

/* ---- taking back ---- */

/* One of the I/O's requests came back; answers whether the I/O is complete. */
static bool is_complete(struct engine *engine, struct io *io, int64_t result, bool is_sync)
{
	if ((result == -EAGAIN || result == -EINTR) && io->tries++ < MOST_TRIES) {
		is_sync ? queue_sync(engine, io) : queue(engine, io);
		return false;
	}
	if (!is_sync || result < 0)
		io->result = result;
	if (is_sync || !engine->sync_each || io->kind != IO_WRITE || result < 0)
		return true;
	queue_sync(engine, io);
	return false;
}

static uint32_t take_event(struct engine *engine, const struct io_event *event, uint64_t now,
			   struct io **into)
{
	struct io *io = io_of(event->data);

	engine->in_kernel--;
	engine->idle[engine->idle_count++] = (void *)(uintptr_t)event->obj;
	if (!is_complete(engine, io, event->res, event->data & IS_SYNC))
		return 0;
	io->completed_ns = now;
	*into = io;
	return 1;
}

/* What the ring has, without a system call. */
static uint32_t take_from_ring(struct engine *engine, struct io **ios, uint32_t at_most)
{
	struct ring *ring = engine->ring;
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	uint32_t count = 0;

	if (head == tail)
		return 0;
	uint64_t now = clock_now_ns();
	while (head != tail && count < at_most) {
		count += take_event(engine, &ring->events[head], now, ios + count);
		head = head + 1 < ring->count ? head + 1 : 0;
	}
	atomic_store_explicit(&ring->head, head, memory_order_release);
	return count;
}

static uint32_t take_held(struct engine *engine, struct io **ios, uint32_t at_most)
{
	uint32_t count = 0;
	uint64_t now = clock_now_ns();

	while (engine->held_count && count < at_most) {
		engine->held_count--;
		count +=
			take_event(engine, &engine->events[engine->held_first++], now, ios + count);
	}
	return count;
}

/* By a system call, which waits for one where asked. Whatever fails is for the caller to try again:
 * it asks until it has what it wants. */
static uint32_t take_from_kernel(struct engine *engine, struct io **ios, uint32_t at_most,
				 bool wait)
{
	uint32_t count = 0;
	long got = syscall(SYS_io_getevents, engine->context, (long)wait, (long)at_most,
			   engine->events, NULL);

	if (got < 0 && errno != EINTR)
		clock_sleep(NS_PER_MS);
	uint64_t now = got > 0 ? clock_now_ns() : 0;
	for (long i = 0; i < got; i++)
		count += take_event(engine, &engine->events[i], now, ios + count);
	return count;
}

static uint32_t take_failed(struct engine *engine, struct io **ios, uint32_t at_most)
{
	uint32_t count = 0;

	while (count < at_most && engine->failed_count)
		ios[count++] = engine->failed[--engine->failed_count];
	return count;
}

/* Without waiting. */
static uint32_t take(struct engine *engine, struct io **ios, uint32_t at_most)
{
	uint32_t count = engine->failed_count ? take_failed(engine, ios, at_most) : 0;

	if (engine->held_count)
		count += take_held(engine, ios + count, at_most - count);
	if (count == at_most || !engine->in_kernel)
		return count;
	return count + (engine->ring
				? take_from_ring(engine, ios + count, at_most - count)
				: take_from_kernel(engine, ios + count, at_most - count, false));
}

/* ---- submit and reap ---- */

static uint32_t aio_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	uint32_t room = engine->depth - engine->in_flight;
	uint64_t now = clock_now_ns();

	if (count > room)
		count = room;
	for (uint32_t i = 0; i < count; i++) {
		ios[i]->submitted_ns = now;
		ios[i]->tries = 0;
		queue(engine, ios[i]);
	}
	engine->in_flight += count;
	send(engine);
	return count;
}

static uint32_t aio_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			 uint32_t at_most)
{
	if (at_least > engine->in_flight)
		at_least = engine->in_flight;
	uint32_t count = take(engine, ios, at_most);
	while (count < at_least) {
		if (engine->queued_count)
			send(engine);
		if (engine->in_kernel)
			count += take_from_kernel(engine, ios + count, at_most - count, true);
		count += take_failed(engine, ios + count, at_most - count);
	}
	/* A sync that is due does not wait for the worker to come again. */
	if (engine->queued_count)
		send(engine);
	engine->in_flight -= count;
	return count;
}

static bool has_one(const struct engine *engine)
{
	const struct ring *ring = engine->ring;

	return engine->held_count || engine->failed_count ||
	       (ring && atomic_load_explicit(&ring->head, memory_order_relaxed) !=
				atomic_load_explicit(&ring->tail, memory_order_acquire));
}

/* The kernel waits by taking events: they are held for the reap. */
static void aio_wait(struct engine *engine, uint64_t until_ns)
{
	uint64_t now = clock_now_ns();
	uint64_t left_ns = until_ns > now ? until_ns - now : 0;
	struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S),
				.tv_nsec = (long)(left_ns % NS_PER_S)};

	if (engine->queued_count)
		send(engine);
	if (has_one(engine) || !engine->in_kernel || !left_ns)
		return;
	long got = syscall(SYS_io_getevents, engine->context, 1L, (long)engine->depth,
			   engine->events, &left);
	engine->held_first = 0;
	engine->held_count = got > 0 ? (uint32_t)got : 0;
}

const struct engine_ops engine_aio = {
	.name = "aio",
	.probe = aio_probe,
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.wait = aio_wait,
	.close = aio_close,
};
