#include "controller/clock_pace.h"

#include "common/clock.h"

#define JOIN_BURSTS    3
#define JOIN_BURST     16
#define JOIN_PERIOD_NS (NS_PER_S / 3)

static uint64_t period_of(const struct clock_pace *pace)
{
	static const uint64_t periods_ns[] = {
		[CLOCK_SCHEDULE_OFF] = 0,
		[CLOCK_SCHEDULE_JOIN] = 250 * NS_PER_MS,
		[CLOCK_SCHEDULE_IDLE] = NS_PER_S,
		[CLOCK_SCHEDULE_ARMED] = 100 * NS_PER_MS,
		[CLOCK_SCHEDULE_PHASE] = 250 * NS_PER_MS,
		[CLOCK_SCHEDULE_TAIL] = 100 * NS_PER_MS,
	};
	uint64_t period = periods_ns[pace->schedule];

	/* What is quicker than joining stays so. */
	if (pace->joined < JOIN_BURSTS &&
	    (period > JOIN_PERIOD_NS || pace->schedule == CLOCK_SCHEDULE_JOIN))
		return JOIN_PERIOD_NS;
	return period;
}

static void stagger(struct clock_pace *pace, uint64_t now_ns)
{
	pace->next_ns = pace->schedule == CLOCK_SCHEDULE_OFF
				? CLOCK_PACE_NEVER
				: now_ns + period_of(pace) * pace->host / pace->hosts;
}

void clock_pace_start(struct clock_pace *pace, uint32_t host, uint32_t hosts,
		      enum clock_schedule schedule, uint64_t now_ns)
{
	*pace = (struct clock_pace){.host = host, .hosts = hosts, .schedule = schedule};
	stagger(pace, now_ns);
}

void clock_pace_change(struct clock_pace *pace, enum clock_schedule schedule, uint64_t now_ns)
{
	if (schedule == pace->schedule)
		return;
	pace->schedule = schedule;
	if (schedule == CLOCK_SCHEDULE_JOIN)
		pace->joined = 0;
	stagger(pace, now_ns);
}

uint32_t clock_pace_take(struct clock_pace *pace, uint64_t now_ns)
{
	if (now_ns < pace->next_ns)
		return 0;
	uint64_t period = period_of(pace);
	/* Whoever comes a period late has missed that burst and stays in his place among the hosts.
	 */
	pace->next_ns += period * (1 + (now_ns - pace->next_ns) / period);
	if (pace->joined == JOIN_BURSTS)
		return CLOCK_BURST;
	pace->joined++;
	return JOIN_BURST;
}
