/* engine.h - how I/O is issued: four calls that suit one pread at a time as well as rings.
 *
 * An engine belongs to one worker thread. The worker fills `struct io`s, lends them with submit
 * and has them back from reap; buffers are registered at open and belong to the worker. */
#ifndef MUSTER_AGENT_ENGINE_ENGINE_H
#define MUSTER_AGENT_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "common/error.h"

enum io_kind { IO_READ, IO_WRITE };

struct io {
	enum io_kind kind;
	int fd;
	uint64_t offset; /* in fd */
	size_t length;   /* sum of the vector */
	struct iovec *vector;
	int vector_count;
	uint64_t submitted_ns, completed_ns; /* clock_now_ns(); set by the engine */
	ssize_t result;  /* bytes, or -errno: an I/O's outcome is data, not failure */
	uint32_t parent; /* the worker's: which of its requests this is a part of */
};

/* What a worker gives its engine at open. */
struct engine_setup {
	uint32_t depth;              /* most I/Os in flight */
	const struct iovec *buffers; /* every buffer that I/Os will use */
	uint32_t buffers_count;
	const int *fds; /* every file that I/Os will use */
	uint32_t fds_count;
	bool sync_each; /* fsync after each write, within its latency */
};

struct engine;
struct engine_ops {
	const char *name;
	uint32_t max_depth; /* 0: no limit */
	struct engine *(*open)(const struct engine_setup *setup, struct error *err);
	/* Lends `count` I/Os; answers how many were taken (all, unless the ring is full). */
	uint32_t (*submit)(struct engine *engine, struct io **ios, uint32_t count);
	/* Gives back between `at_least` and `at_most` completed I/Os, in any order. */
	uint32_t (*reap)(struct engine *engine, struct io **ios, uint32_t at_least,
			 uint32_t at_most);
	void (*close)(struct engine *engine);
};

extern const struct engine_ops engine_sync;
extern const struct engine_ops engine_null;

#endif
