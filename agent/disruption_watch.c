#include "agent/disruption_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/disruption.h"
#include "common/clock.h"
#include "common/memory.h"

#define LOOK_NS (10 * NS_PER_MS)

/* The lock is over the queue alone. */
struct disruption_watch {
	pthread_t thread;
	atomic_bool stop;
	struct platform_clocks now; /* this and the judge: the thread's */
	struct disruption_judge judge;
	pthread_mutex_t lock;
	struct disruption queue[DISRUPTION_WATCH_MOST];
	uint32_t first, count;
	uint64_t lost;
};

static void put(struct disruption_watch *watch, const struct disruption *disruption)
{
	pthread_mutex_lock(&watch->lock);
	if (watch->count == DISRUPTION_WATCH_MOST)
		watch->lost++;
	else
		watch->queue[(watch->first + watch->count++) % DISRUPTION_WATCH_MOST] = *disruption;
	pthread_mutex_unlock(&watch->lock);
}

/* By the system's timers: our own clock is what is being watched. */
static void sleep_a_look(void)
{
	struct timespec wait = {.tv_nsec = (long)LOOK_NS};

	nanosleep(&wait, NULL);
}

static void *watch_main(void *context)
{
	struct disruption_watch *watch = context;
	struct disruption found[DISRUPTION_MOST];

	platform_thread_name("disruptions");
	while (!atomic_load(&watch->stop)) {
		uint64_t planned = watch->now.timer_ns + LOOK_NS;
		sleep_a_look();
		platform_clocks(&watch->now);
		uint32_t count = disruption_judge(&watch->judge, &watch->now, planned, found);
		for (uint32_t i = 0; i < count; i++)
			put(watch, &found[i]);
	}
	return NULL;
}

struct disruption_watch *disruption_watch_new(struct error *err)
{
	struct disruption_watch *watch = mem_new(1, sizeof(*watch));

	pthread_mutex_init(&watch->lock, NULL);
	platform_clocks(&watch->now);
	disruption_judge_init(&watch->judge, &watch->now);
	int failed = pthread_create(&watch->thread, NULL, watch_main, watch);
	if (!failed)
		return watch;
	error_set(err, ERROR_SYSTEM, "cannot start a thread to watch the clocks: %s",
		  strerror(failed));
	pthread_mutex_destroy(&watch->lock);
	free(watch);
	return NULL;
}

void disruption_watch_free(struct disruption_watch *watch)
{
	if (!watch)
		return;
	atomic_store(&watch->stop, true);
	pthread_join(watch->thread, NULL);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

bool disruption_watch_take(struct disruption_watch *watch, struct disruption *out)
{
	pthread_mutex_lock(&watch->lock);
	bool has_one = watch->count > 0;
	if (has_one) {
		*out = watch->queue[watch->first];
		watch->first = (watch->first + 1) % DISRUPTION_WATCH_MOST;
		watch->count--;
	}
	pthread_mutex_unlock(&watch->lock);
	return has_one;
}

uint64_t disruption_watch_lost(struct disruption_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	uint64_t lost = watch->lost;
	pthread_mutex_unlock(&watch->lock);
	return lost;
}
