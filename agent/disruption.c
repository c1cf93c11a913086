#include "agent/disruption.h"

#include "common/clock.h"

#define GAP_NS     (20 * NS_PER_MS)
#define SUSPEND_NS NS_PER_MS
#define STEP_NS    NS_PER_US
#define JUMP_NS    (100 * NS_PER_US)
#define RATE_PPB   1000

/* A reading that took longer says too little about steps: they wait for the next. */
#define SHARP_NS (10 * NS_PER_US)

static uint64_t size_of(int64_t amount)
{
	return amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
}

static int64_t difference(uint64_t from, uint64_t to)
{
	return (int64_t)(to - from);
}

/* By how much `clock` gained on the timer's. */
#define GAINED(clock) (difference(before->clock, now->clock) - passed)

static int64_t slept(const struct platform_clocks *before, const struct platform_clocks *now)
{
	int64_t passed = difference(before->timer_ns, now->timer_ns);

	return before->boot_ns && now->boot_ns ? GAINED(boot_ns) : 0;
}

/* What slewing and reading may amount to. */
static uint64_t slack(const struct platform_clocks *before, const struct platform_clocks *now,
		      uint32_t slew_ppm)
{
	uint64_t passed = now->timer_ns - before->timer_ns;

	return passed / 1000000 * slew_ppm + passed % 1000000 * slew_ppm / 1000000 +
	       before->error_ns + now->error_ns;
}

void disruption_judge_init(struct disruption_judge *judge, const struct platform_clocks *now)
{
	*judge = (struct disruption_judge){
		.seen_base_ns = now->base_ns, .before = *now, .rate_ppb = now->rate_ppb};
}

static bool find_suspend(const struct platform_clocks *before, const struct platform_clocks *now,
			 struct disruption *out)
{
	out->kind = DISRUPTION_SUSPEND;
	out->amount_ns = slept(before, now);
	return size_of(out->amount_ns) > SUSPEND_NS + slack(before, now, 0);
}

/* The wall clock goes on while the host sleeps. */
static bool find_wall_step(const struct platform_clocks *before, const struct platform_clocks *now,
			   struct disruption *out)
{
	int64_t passed = difference(before->timer_ns, now->timer_ns);

	out->kind = DISRUPTION_STEP;
	out->amount_ns = GAINED(wall_ns) - slept(before, now);
	return size_of(out->amount_ns) > STEP_NS + slack(before, now, now->wall_slew_ppm);
}

static bool find_base_jump(const struct platform_clocks *before, const struct platform_clocks *now,
			   struct disruption *out)
{
	int64_t passed = difference(before->timer_ns, now->timer_ns);

	out->kind = DISRUPTION_STEP;
	out->amount_ns = GAINED(base_ns);
	return size_of(out->amount_ns) > JUMP_NS + slack(before, now, now->base_slew_ppm);
}

/* Against the rate that was told last, so that a slow change is told too. */
static bool find_frequency(struct disruption_judge *judge, const struct platform_clocks *now,
			   struct disruption *out)
{
	out->kind = DISRUPTION_FREQUENCY;
	out->amount_ns = now->rate_ppb - judge->rate_ppb;
	if (!now->has_rate || size_of(out->amount_ns) <= RATE_PPB)
		return false;
	judge->rate_ppb = now->rate_ppb;
	return true;
}

/* Of wall and base one is enough: both at once is one event. */
static uint32_t look_at_clocks(struct disruption_judge *judge, const struct platform_clocks *now,
			       struct disruption *out)
{
	const struct platform_clocks *before = &judge->before;
	uint32_t count = 0;

	count += find_suspend(before, now, &out[count]);
	count += find_base_jump(before, now, &out[count]) ||
		 find_wall_step(before, now, &out[count]);
	count += find_frequency(judge, now, &out[count]);
	for (uint32_t i = 0; i < count; i++) {
		out[i].from_ns = before->base_ns;
		out[i].to_ns = now->base_ns;
	}
	judge->before = *now;
	return count;
}

uint32_t disruption_judge(struct disruption_judge *judge, const struct platform_clocks *now,
			  uint64_t planned_ns, struct disruption out[DISRUPTION_MOST])
{
	int64_t late = difference(planned_ns, now->timer_ns);
	uint32_t count = 0;

	if (late > (int64_t)GAP_NS)
		out[count++] = (struct disruption){.kind = DISRUPTION_GAP,
						   .from_ns = judge->seen_base_ns,
						   .to_ns = now->base_ns,
						   .amount_ns = late};
	judge->seen_base_ns = now->base_ns;
	if (now->error_ns <= SHARP_NS)
		count += look_at_clocks(judge, now, out + count);
	return count;
}
