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
	int bind_error; /* errno; 0: it is where it should be */
};

/* The first submit of larger blocks can take long even without waiting (memory is copied): not
 * before all others. */
#define FIRST_MOST_BYTES (1U << 20)

/* A stack is this deep at most; touched before the start. */
#define STACK_BYTES (64 * 1024)

const struct worker *crew_worker(const struct crew *crew, uint32_t index)
{
	return crew->members[index].worker;
}

int crew_init(struct crew *crew, const struct worker_setup *setup, const struct crew_start *start,
	      struct error *err)
{
	*crew = (struct crew){.target = setup->target,
			      .phase = setup->phase,
			      .start = *start,
			      .stop = setup->stop};
	crew->count = setup->phase->workers;
	crew->members = mem_new(crew->count, sizeof(*crew->members));
	if (placement_find(&crew->placement, setup->phase, setup->target, err))
		return -1;
	atomic_store(&crew->running, crew->count);
	for (uint32_t i = 0; i < crew->count; i++) {
		struct worker_setup one = *setup;
		one.index = i;
		one.evidence = &crew->evidence;
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

static void touch_stack(void)
{
	volatile char stack[STACK_BYTES];

	for (size_t i = 0; i < sizeof(stack); i += 512)
		stack[i] = 0;
}

const struct cpu_list *crew_cpus(const struct crew *crew, uint32_t index)
{
	return placement_of(&crew->placement, crew->first + index);
}

static void bind_thread(struct crew_member *member)
{
	const struct crew *crew = member->crew;
	const struct cpu_list *cpus = crew_cpus(crew, (uint32_t)(member - crew->members));

	member->bind_error = cpus ? platform_thread_bind(cpus) : 0;
}

/* False: there is no start, and no request was ever. */
static bool start(struct crew_member *member)
{
	const struct crew_start *how = &member->crew->start;
	struct platform_schedule before;

	bind_thread(member);
	touch_stack();
	worker_ready(member->worker);
	if (!gate_wait(how->gate) ||
	    !punctual_wait(how->punctual, how->map, member->crew->stop, &before)) {
		worker_cancel(member->worker);
		return false;
	}
	if (member->crew->phase->block_size > FIRST_MOST_BYTES)
		platform_thread_restore(&before);
	worker_start(member->worker, how->map);
	platform_thread_restore(&before);
	return true;
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
		if (!part_sync(part, crew->phase->sync_call))
			continue;
		crew->sync_error = errno;
		crew->sync_part = part;
		break;
	}
	crew->is_synced = !crew->sync_error;
	crew->sync_ns = clock_now_ns() - start;
	atomic_store(&crew->syncing_since_ns, 0);
}

void crew_mark_synced(const struct crew *crew)
{
	for (uint32_t i = 0; phase_writes(crew->phase) && i < crew->target->parts_count; i++) {
		struct part *part = crew->target->parts[i];
		part->is_unsynced |= !crew->is_synced;
		part->is_in_doubt |= crew->sync_error != 0;
	}
}

static void *member_main(void *context)
{
	struct crew_member *member = context;
	struct crew *crew = member->crew;

	platform_thread_name("worker");
	if (!start(member))
		return NULL;
	worker_run(member->worker);
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

int crew_check_bound(const struct crew *crew, struct error *err)
{
	char text[256];

	for (uint32_t i = 0; i < crew->count; i++) {
		if (!crew->members[i].bind_error)
			continue;
		error_set(err, ERROR_REFUSED,
			  "cannot bind worker %u of target '%s' to processors %s: %s", i,
			  crew->target->target->name,
			  cpu_list_format(text, sizeof(text), crew_cpus(crew, i)),
			  strerror(crew->members[i].bind_error));
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
	placement_release(&crew->placement);
	evidence_release(&crew->evidence);
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

bool crew_outstanding(const struct crew *crew, uint64_t limit_ns, uint64_t now_ns,
		      struct outstanding_request *oldest)
{
	bool found = false;

	for (uint32_t i = 0; i < crew->count; i++) {
		struct outstanding_request request;
		if (!outstanding_find(&crew->members[i].worker->outstanding, limit_ns, now_ns,
				      &request) ||
		    (found && request.since_ns >= oldest->since_ns))
			continue;
		*oldest = request;
		found = true;
	}
	return found;
}

uint64_t crew_waiting_ns(const struct crew *crew, uint64_t now_ns)
{
	uint64_t waiting = longer(0, atomic_load(&crew->syncing_since_ns), now_ns);

	for (uint32_t i = 0; i < crew->count; i++)
		waiting = longer(
			waiting,
			atomic_load_explicit(&crew->members[i].worker->outstanding.waiting_since_ns,
					     memory_order_relaxed),
			now_ns);
	return waiting;
}
