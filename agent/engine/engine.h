/* engine.h - how I/O is issued: four calls that suit one pread at a time as well as rings.
 *
 * An engine belongs to one worker. It is opened before there is a thread, so that what is refused
 * is known; from `begin` on only the thread that called it submits and reaps. The worker fills
 * `struct io`s, lends them with submit and has them back from reap; buffers are registered at open
 * and belong to the worker. */
#ifndef MUSTER_AGENT_ENGINE_ENGINE_H
#define MUSTER_AGENT_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "common/error.h"

/* SYNC is of workers; engines are never asked for it. */
enum io_kind { IO_READ, IO_WRITE, IO_TRIM, IO_SYNC };

struct request;
struct io {
	enum io_kind kind;
	int fd;
	uint64_t offset; /* in fd */
	size_t length;   /* sum of the vector */
	struct iovec *vector;
	int vector_count;
	uint32_t tries;                      /* the engine's */
	uint64_t submitted_ns, completed_ns; /* clock_now_ns(); set by the engine */
	ssize_t result;          /* bytes, or -errno: an I/O's outcome is data, not failure */
	struct request *request; /* the worker's: that it is a part of */
	uint32_t file, buffer; /* index of fd, and of the buffer the vector lies in, in the setup */
};

/* What a worker gives its engine at open. */
struct engine_setup {
	uint32_t depth;              /* most I/Os in flight */
	const struct iovec *buffers; /* every buffer that I/Os will use */
	uint32_t buffers_count;
	const int *fds; /* every file that I/Os will use */
	uint32_t fds_count;
	bool polls;     /* completions are polled for on the device */
	bool sync_each; /* fsync after each write, within its latency */
};

struct engine;
struct engine_ops {
	const char *name;
	uint32_t max_depth; /* 0: no limit */
	/* Whether the system lets us; the error is a sentence with the way out. NULL: it does. */
	int (*probe)(struct error *err);
	struct engine *(*open)(const struct engine_setup *setup, struct error *err);
	/* Once, before the first submit, in the thread that will submit and reap. NULL: no need. */
	void (*begin)(struct engine *engine);
	/* Once, after the last reap, in the same thread: nothing is held of files and buffers any
	 * more. After it only close. NULL: no need. */
	void (*end)(struct engine *engine);
	/* After begin: what it has to do without, for the report; NULL: nothing. The member may be
	 * NULL, too. */
	const char *(*note)(const struct engine *engine);
	/* Lends `count` I/Os; answers how many were taken (all, unless the ring is full). The first
	 * ones of all go out at once; later ones may wait for the reap, which follows. */
	uint32_t (*submit)(struct engine *engine, struct io **ios, uint32_t count);
	/* Gives back between `at_least` and `at_most` completed I/Os, in any order. */
	uint32_t (*reap)(struct engine *engine, struct io **ios, uint32_t at_least,
			 uint32_t at_most);
	/* Sends what was submitted, and waits until something can be reaped or `until_ns` of
	 * clock_now_ns() has passed. NULL: what is submitted is complete. */
	void (*wait)(struct engine *engine, uint64_t until_ns);
	void (*close)(struct engine *engine);
};

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_uring; /* where there is none, its probe says why */
extern const struct engine_ops engine_aio;   /* likewise */
extern const struct engine_ops engine_trim;  /* of trim phases alone */
extern const struct engine_ops engine_null;

#endif
