#include "agent/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"

struct crew_member {
	struct crew *crew;
	struct worker *worker;
	pthread_t thread;
};

/* How often a worker that sleeps until the start looks whether it is still wanted. */
#define LOOK_UP_NS (100 * NS_PER_MS)

const struct worker *crew_worker(const struct crew *crew, uint32_t index)
{
	return crew->members[index].worker;
}

int crew_init(struct crew *crew, const struct worker_setup *setup, struct gate *gate,
	      struct error *err)
{
	*crew = (struct crew){
		.target = setup->target, .phase = setup->phase, .gate = gate, .stop = setup->stop};
	crew->count = setup->phase->workers;
	crew->members = mem_new(crew->count, sizeof(*crew->members));
	atomic_store(&crew->running, crew->count);
	for (uint32_t i = 0; i < crew->count; i++) {
		struct worker_setup one = *setup;
		one.index = i;
		crew->members[i].crew = crew;
		crew->members[i].worker = worker_new(&one, err);
		if (!crew->members[i].worker)
			return -1;
	}
	return 0;
}

/* ---- a worker's thread ---- */

static bool is_stopped(const struct crew *crew)
{
	return atomic_load_explicit(crew->stop, memory_order_relaxed);
}

static bool wait_for_start(const struct crew *crew, uint64_t *at_ns)
{
	if (!gate_wait(crew->gate, at_ns))
		return false;
	for (;;) {
		uint64_t now = clock_now_ns();
		if (is_stopped(crew))
			return false;
		if (now >= *at_ns)
			return true;
		clock_sleep_until(*at_ns - now > LOOK_UP_NS ? now + LOOK_UP_NS : *at_ns);
	}
}

/* A phase that was stopped has no figure with sync, and is to end soon. */
static void sync_target(struct crew *crew)
{
	bool wanted = crew->phase->sync == PHASE_SYNC_END || crew->phase->sync == PHASE_SYNC_AUTO;

	if (!phase_writes(crew->phase) || !wanted || is_stopped(crew))
		return;
	uint64_t start = clock_now_ns();
	atomic_store(&crew->syncing_since_ns, start);
	for (uint32_t i = 0; i < crew->target->parts_count; i++) {
		const struct part *part = crew->target->parts[i];
		if (part->fd < 0 || fsync(part->fd) == 0)
			continue;
		crew->sync_error = errno;
		crew->sync_part = part;
		break;
	}
	crew->sync_ns = clock_now_ns() - start;
	atomic_store(&crew->syncing_since_ns, 0);
}

static void *member_main(void *context)
{
	struct crew_member *member = context;
	struct crew *crew = member->crew;
	uint64_t at_ns;

	platform_thread_name("worker");
	if (!wait_for_start(crew, &at_ns))
		return NULL;
	worker_run(member->worker, at_ns);
	if (atomic_fetch_sub(&crew->running, 1) == 1)
		sync_target(crew);
	return NULL;
}

/* ---- life ---- */

int crew_start(struct crew *crew, struct error *err)
{
	for (; crew->threads < crew->count; crew->threads++) {
		struct crew_member *member = &crew->members[crew->threads];
		int failed = pthread_create(&member->thread, NULL, member_main, member);
		if (!failed)
			continue;
		error_set(err, ERROR_REFUSED,
			  "cannot start worker %u of %u of target '%s': %s: use fewer workers",
			  crew->threads + 1, crew->count, crew->target->target->name,
			  strerror(failed));
		return -1;
	}
	return 0;
}

void crew_join(struct crew *crew)
{
	while (crew->threads)
		pthread_join(crew->members[--crew->threads].thread, NULL);
}

void crew_release(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->count; i++)
		worker_free(crew->members[i].worker);
	free(crew->members);
	crew->members = NULL;
	crew->count = 0;
}

/* ---- while it runs ---- */

void crew_collect(struct crew *crew, uint32_t number, struct timeline *into)
{
	uint32_t from = into->buckets_count;

	for (uint32_t i = 0; i < crew->count; i++)
		buckets_collect(&crew->members[i].worker->buckets, number, into, from);
	for (uint32_t i = from; i < into->buckets_count; i++) {
		crew->collected.bytes_read += into->buckets[i].bytes_read;
		crew->collected.bytes_written += into->buckets[i].bytes_written;
		crew->collected.operations += into->buckets[i].operations;
		crew->collected.errors += into->buckets[i].errors;
	}
}

static uint64_t longer(uint64_t waiting_ns, uint64_t since_ns, uint64_t now_ns)
{
	if (!since_ns || since_ns >= now_ns || now_ns - since_ns <= waiting_ns)
		return waiting_ns;
	return now_ns - since_ns;
}

uint64_t crew_waiting_ns(const struct crew *crew, uint64_t now_ns)
{
	uint64_t waiting = longer(0, atomic_load(&crew->syncing_since_ns), now_ns);

	for (uint32_t i = 0; i < crew->count; i++)
		waiting = longer(waiting,
				 atomic_load_explicit(&crew->members[i].worker->waiting_since_ns,
						      memory_order_relaxed),
				 now_ns);
	return waiting;
}
