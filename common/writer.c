#include "common/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/memory.h"

/* Bytes to be written, or without any a sync. */
struct piece {
	struct piece *next;
	struct bytes bytes;
	uint32_t number; /* of the sync */
};

/* `lock` is never held over a system call. */
struct writer {
	int fd;
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t more;
	struct piece *first, **last;
	struct piece *under_way; /* the thread's; known here so that it is nobody's loss */
	uint64_t waiting;        /* bytes */
	uint64_t began_ns;       /* the piece under way; 0: none is */
	uint32_t kept;
	bool is_broken, is_ending, has_ended;
	struct error problem;
	struct writer *next; /* of those that were left to their threads */
};

/* What a thread that sits in the system still has: nobody can take it, and nothing is lost. */
static struct writer *left_behind;

/* ---- the thread ---- */

/* NULL: it is to end and all is written. */
static struct piece *take(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	while (!writer->first && !writer->is_ending)
		pthread_cond_wait(&writer->more, &writer->lock);
	struct piece *piece = writer->first;
	if (piece) {
		writer->first = piece->next;
		if (!writer->first)
			writer->last = &writer->first;
		writer->began_ns = clock_now_ns();
	}
	writer->under_way = piece;
	pthread_mutex_unlock(&writer->lock);
	return piece;
}

/* `is_broken` is set by this thread alone. */
static void put(struct writer *writer, const struct piece *piece)
{
	int failed = 0, code;

	if (!writer->is_broken)
		failed = piece->bytes.size ? file_write_whole(writer->fd, piece->bytes.data,
							      piece->bytes.size)
					   : fsync(writer->fd);
	code = errno;
	pthread_mutex_lock(&writer->lock);
	writer->waiting -= piece->bytes.size;
	writer->began_ns = 0;
	writer->under_way = NULL;
	if (failed) {
		writer->is_broken = true;
		error_set(&writer->problem, ERROR_SYSTEM, "%s", strerror(code));
	}
	if (!writer->is_broken && !piece->bytes.size)
		writer->kept = piece->number;
	pthread_mutex_unlock(&writer->lock);
}

static void *work(void *context)
{
	struct writer *writer = context;

	for (struct piece *piece; (piece = take(writer));) {
		put(writer, piece);
		free(piece->bytes.data);
		free(piece);
	}
	pthread_mutex_lock(&writer->lock);
	writer->has_ended = true;
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

/* ---- life ---- */

static void destroy(struct writer *writer)
{
	close(writer->fd);
	pthread_cond_destroy(&writer->more);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

struct writer *writer_new(int fd, struct error *err)
{
	struct writer *writer = mem_new(1, sizeof(*writer));

	writer->fd = fd;
	writer->last = &writer->first;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->more, NULL);
	/* Signals are for who waits for them. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(&writer->thread, NULL, work, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code == 0)
		return writer;
	error_set(err, ERROR_SYSTEM, "cannot start a thread that writes: %s", strerror(code));
	destroy(writer);
	return NULL;
}

static bool has_ended(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	bool ended = writer->has_ended;
	pthread_mutex_unlock(&writer->lock);
	return ended;
}

bool writer_free(struct writer *writer, uint64_t patience_ns)
{
	pthread_mutex_lock(&writer->lock);
	writer->is_ending = true;
	pthread_cond_signal(&writer->more);
	pthread_mutex_unlock(&writer->lock);
	while (!has_ended(writer)) {
		if (writer_look(writer).stalled_ns > patience_ns) {
			writer->next = left_behind;
			left_behind = writer;
			pthread_detach(writer->thread);
			return false;
		}
		clock_sleep(NS_PER_MS);
	}
	pthread_join(writer->thread, NULL);
	destroy(writer);
	return true;
}

/* ---- what is asked of it ---- */

static void post(struct writer *writer, struct piece *piece)
{
	pthread_mutex_lock(&writer->lock);
	writer->waiting += piece->bytes.size;
	*writer->last = piece;
	writer->last = &piece->next;
	pthread_cond_signal(&writer->more);
	pthread_mutex_unlock(&writer->lock);
}

void writer_add(struct writer *writer, struct bytes *bytes)
{
	struct piece *piece = mem_new(1, sizeof(*piece));

	piece->bytes = *bytes;
	*bytes = (struct bytes){0};
	if (piece->bytes.size) {
		post(writer, piece);
		return;
	}
	free(piece->bytes.data);
	free(piece);
}

void writer_sync(struct writer *writer, uint32_t number)
{
	struct piece *piece = mem_new(1, sizeof(*piece));

	piece->number = number;
	post(writer, piece);
}

struct writer_state writer_look(struct writer *writer)
{
	uint64_t now = clock_now_ns();

	pthread_mutex_lock(&writer->lock);
	uint64_t began = writer->began_ns;
	struct writer_state state = {.kept = writer->kept,
				     .waiting = writer->waiting,
				     .is_busy = writer->first || began,
				     .stalled_ns = began && now > began ? now - began : 0,
				     .is_broken = writer->is_broken,
				     .problem = writer->problem};
	pthread_mutex_unlock(&writer->lock);
	return state;
}
