/* worker_bench - random 4 KiB reads by one worker with 32 in flight, histogram and timeline on, and
 * nothing around it: for counting what an I/O costs in its own code. tests/bench/instructions runs
 * it under callgrind.
 *
 *     worker_bench null|sync|uring|aio FILE OPERATIONS */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/worker.h"
#include "common/clock.h"

#define BLOCK     4096
#define BUCKET_NS (100 * NS_PER_MS)

static const struct engine_ops *find_engine(const char *name)
{
	static const struct engine_ops *const engines[] = {&engine_null, &engine_sync,
							   &engine_uring, &engine_aio};

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

/* A worker's memory holds a minute of timeline, which nobody collects here. */
static void run(struct worker *worker)
{
	struct clock_map map;
	struct start start = {.at_ns = clock_now_ns()};

	clock_map_init(&map, BUCKET_NS);
	if (!clock_map_begin(&map, &start))
		exit(1);
	worker_ready(worker);
	worker_start(worker, &map);
	worker_run(worker);
	clock_map_release(&map);
}

static int bench(const struct engine_ops *engine, int fd, uint64_t blocks, uint64_t operations)
{
	atomic_bool stop = false;
	struct error err;
	struct target row = {.name = "t"};
	struct part part = {.target = &row, .fd = fd, .storage.memory_alignment_bytes = 1};
	struct part *parts[] = {&part};
	const struct load_target target = {.target = &row,
					   .parts = parts,
					   .parts_count = 1,
					   .stripe = {.unit = BLOCK, .parts = 1},
					   .engine = engine,
					   .used_bytes = blocks * BLOCK};
	const struct phase phase = {.name = "p",
				    .op = PHASE_OP_READ,
				    .access = PHASE_ACCESS_RANDOM,
				    .block_size = BLOCK,
				    .workers = 1,
				    .queue_depth = engine->max_depth ? engine->max_depth : 32,
				    .size_bytes = operations * BLOCK};
	const struct worker_setup setup = {.phase = &phase,
					   .target = &target,
					   .host = "h",
					   .seed = 1,
					   .bucket_ns = BUCKET_NS,
					   .stop = &stop};
	struct worker *worker = worker_new(&setup, &err);

	if (!worker) {
		fprintf(stderr, "worker_bench: %s\n", err.text);
		return 1;
	}
	run(worker);
	bool is_whole = worker->after.operations == operations && !worker->after.errors;
	worker_free(worker);
	if (!is_whole)
		fprintf(stderr, "worker_bench: not all was read\n");
	return is_whole ? 0 : 1;
}

int main(int count, char **words)
{
	const struct engine_ops *engine = count == 4 ? find_engine(words[1]) : NULL;
	struct error why;

	if (!engine) {
		fprintf(stderr, "usage: worker_bench null|sync|uring|aio FILE OPERATIONS\n");
		return 2;
	}
	if (engine->probe && engine->probe(&why)) {
		fprintf(stderr, "worker_bench: %s\n", why.text);
		return 77;
	}
	int fd = open(words[2], O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size < BLOCK) {
		fprintf(stderr, "worker_bench: '%s' has no block of %d bytes to read\n", words[2],
			BLOCK);
		return 1;
	}
	return bench(engine, fd, (uint64_t)size / BLOCK, strtoull(words[3], NULL, 10));
}
