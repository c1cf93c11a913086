/* posix_schedule.c - the calling thread before all ordinary ones, for a moment. */
#include "agent/platform/platform.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

int platform_thread_first(struct platform_schedule *before)
{
	struct sched_param param;
	int failed = pthread_getschedparam(pthread_self(), &before->policy, &param);

	before->changed = false;
	if (failed || before->policy == SCHED_FIFO || before->policy == SCHED_RR)
		return failed;
	before->priority = param.sched_priority;
	/* Half-way: the kernel's own threads stay before it. */
	int least = sched_get_priority_min(SCHED_FIFO), most = sched_get_priority_max(SCHED_FIFO);
	memset(&param, 0, sizeof(param));
	param.sched_priority = least + (most - least) / 2;
	failed = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	before->changed = !failed;
	return failed;
}

void platform_thread_restore(const struct platform_schedule *before)
{
	struct sched_param param;

	if (!before->changed)
		return;
	memset(&param, 0, sizeof(param));
	param.sched_priority = before->priority;
	pthread_setschedparam(pthread_self(), before->policy, &param);
}
