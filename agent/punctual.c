#include "agent/punctual.h"

#include <string.h>

#include "common/memory.h"

static const char *const means_names[PUNCTUAL_MEANS] = {
	[PUNCTUAL_MEMORY] = "mlockall",
	[PUNCTUAL_SLEEP] = "timer slack",
	[PUNCTUAL_FIRST] = "SCHED_FIFO",
};

void punctual_init(struct punctual *p, uint32_t workers)
{
	struct platform_facts facts;

	platform_facts(&facts);
	p->spin_ns = workers <= facts.cpus ? PUNCTUAL_SPIN_NS : 0;
	int failed = platform_memory_lock();
	p->has_memory = !failed;
	atomic_store(&p->refused[PUNCTUAL_MEMORY], failed);
}

void punctual_release(struct punctual *p)
{
	if (p->has_memory)
		platform_memory_unlock();
	p->has_memory = false;
}

/* ---- waiting ---- */

static bool is_stopped(const atomic_bool *stop)
{
	return atomic_load_explicit(stop, memory_order_relaxed);
}

/* Until the start is so near that it does not move any more. */
static bool wait_until_near(const struct clock_map *map, const atomic_bool *stop)
{
	for (;;) {
		uint64_t now = clock_now_ns(), at = clock_map_start(map);
		if (is_stopped(stop))
			return false;
		if (now + CLOCK_MAP_TAKE_NS >= at)
			return true;
		uint64_t left = at - CLOCK_MAP_TAKE_NS - now;
		clock_sleep_until(now + (left < CLOCK_MAP_LOOK_NS ? left : CLOCK_MAP_LOOK_NS));
	}
}

static void ask_for(struct punctual *p, struct platform_schedule *before)
{
	int failed = platform_thread_exact_sleep();

	if (failed)
		atomic_store(&p->refused[PUNCTUAL_SLEEP], failed);
	failed = platform_thread_first(before);
	if (failed)
		atomic_store(&p->refused[PUNCTUAL_FIRST], failed);
}

/* A clock that jumps back ends it: nobody may spin before all others for long. */
static void spin_until(uint64_t at_ns)
{
	uint64_t now = clock_now_ns(), last = now;

	while (now < at_ns && now >= last) {
		last = now;
		now = clock_now_ns();
	}
}

bool punctual_wait(struct punctual *p, struct clock_map *map, const atomic_bool *stop,
		   struct platform_schedule *before)
{
	*before = (struct platform_schedule){0};
	if (!wait_until_near(map, stop))
		return false;
	uint64_t at = clock_map_take_start(map);
	ask_for(p, before);
	clock_sleep_until(at - (at < p->spin_ns ? at : p->spin_ns));
	if (is_stopped(stop)) {
		platform_thread_restore(before);
		return false;
	}
	spin_until(at);
	return true;
}

/* ---- the report ---- */

void punctual_report(const struct punctual *p, struct done *done)
{
	done->start_spin_ns = p->spin_ns;
	for (int i = 0; i < PUNCTUAL_MEANS; i++) {
		int failed = atomic_load(&p->refused[i]);
		if (!failed)
			continue;
		struct name *refusal =
			RECORD_APPEND(done->start_refusals, done->start_refusals_count);
		refusal->name = mem_format("%s: %s", means_names[i], strerror(failed));
	}
}
