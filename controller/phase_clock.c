#include "controller/phase_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"

#define PUMP_MS        10
#define ARM_LEAST_NS   (300 * NS_PER_MS) /* three bursts of the armed schedule */
#define ARM_MOST_NS    (10 * NS_PER_S)
#define TAIL_NS        (250 * NS_PER_MS)
#define LEAD_NS        (250 * NS_PER_MS)
#define LEAD_MOST_NS   (5 * NS_PER_S)
#define AMEND_LEAST_NS (NS_PER_US)      /* not worth a message */
#define AMEND_LAST_NS  (60 * NS_PER_MS) /* before the start; agents take none after 50 ms */
#define FOLLOW_NS      NS_PER_S
#define AHEAD_NS       NS_PER_S /* an amendment's bucket begins at least so much later */

static bool is_in(const struct fleet_host *host)
{
	return host->in_phase && host->status == FLEET_STATUS_LEASED;
}

/* ---- arming ---- */

/* The two widest bounds: what two hosts may be apart at most. */
struct widest {
	const struct fleet_host *hosts[2];
	uint64_t bounds[2];
	uint32_t unknown, count;
};

static void look(const struct fleet *fleet, struct widest *widest)
{
	uint64_t now = clock_now_ns();

	*widest = (struct widest){0};
	for (uint32_t i = 0; i < fleet->count; i++) {
		const struct fleet_host *host = &fleet->hosts[i];
		if (!is_in(host))
			continue;
		struct clock_estimate estimate = fleet_clock(fleet, host, now);
		widest->count++;
		if (!estimate.known) {
			widest->unknown++;
			continue;
		}
		uint64_t bound = clock_estimate_bound(&estimate);
		if (!widest->hosts[0] || bound > widest->bounds[0]) {
			widest->hosts[1] = widest->hosts[0];
			widest->bounds[1] = widest->bounds[0];
			widest->hosts[0] = host;
			widest->bounds[0] = bound;
		} else if (!widest->hosts[1] || bound > widest->bounds[1]) {
			widest->hosts[1] = host;
			widest->bounds[1] = bound;
		}
	}
}

static bool is_close_enough(const struct widest *widest, uint64_t most_skew_ns)
{
	return !most_skew_ns || widest->count < 2 ||
	       widest->bounds[0] + widest->bounds[1] <= most_skew_ns;
}

static void lose_unknown(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (is_in(host) && !fleet_clock(fleet, host, clock_now_ns()).known)
			fleet_lose(fleet, host, "no clock exchange came back from it within 10 s");
	}
}

static void refuse(const struct widest *widest, uint64_t most_skew_ns, struct error *err)
{
	char first[UNITS_TEXT_SIZE], second[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	error_set(
		err, ERROR_REFUSED,
		"the clocks are not known well enough for max_start_skew %s: host '%s' within %s, "
		"host '%s' within %s; quieten the network between them and the controller, or "
		"raise "
		"max_start_skew",
		units_format_ns(most, (double)most_skew_ns), widest->hosts[0]->plan->name,
		units_format_ns(first, (double)widest->bounds[0]), widest->hosts[1]->plan->name,
		units_format_ns(second, (double)widest->bounds[1]));
}

int phase_clock_arm(struct fleet *fleet, uint64_t most_skew_ns, const volatile int *interrupted,
		    struct error *err)
{
	uint64_t begun = clock_now_ns(), end = begun + ARM_MOST_NS;
	struct widest widest;

	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_ARMED);
	for (;;) {
		fleet_pump(fleet, PUMP_MS);
		uint64_t now = clock_now_ns();
		/* An estimate of every host is not for each turn: not before it can count. */
		if (now - begun < ARM_LEAST_NS && !*interrupted)
			continue;
		look(fleet, &widest);
		bool fine = !widest.unknown && is_close_enough(&widest, most_skew_ns);
		if (fine || now >= end || *interrupted)
			break;
	}
	lose_unknown(fleet);
	if (is_close_enough(&widest, most_skew_ns))
		return 0;
	refuse(&widest, most_skew_ns, err);
	return -1;
}

/* ---- the start ---- */

/* Twenty times the slowest of the latest round trips; as much again with each attempt. */
static uint64_t lead_of(const struct fleet *fleet)
{
	uint64_t lead = LEAD_NS;

	for (uint32_t i = 0; i < fleet->count; i++) {
		if (!is_in(&fleet->hosts[i]))
			continue;
		uint64_t slowest = 20 * clock_exchange_slowest(fleet->clocks, i);
		lead = slowest > lead ? slowest : lead;
	}
	lead = lead < LEAD_MOST_NS ? lead : LEAD_MOST_NS;
	return lead * fleet->attempt;
}

static uint64_t shift(uint64_t at_ns, int64_t offset_ns)
{
	return (uint64_t)((int64_t)at_ns + offset_ns);
}

/* What the agent's clock will show at the controller's instant `t`, and how it runs there. */
static struct border border_at(const struct phase_clock *clock, const struct fleet_host *host,
			       uint32_t bucket, struct clock_estimate *estimate)
{
	uint64_t t = clock->start_ns + bucket * clock->bucket_ns;

	*estimate = fleet_clock(clock->fleet, host, t);
	return (struct border){.from = bucket,
			       .at_ns = shift(t, estimate->offset_ns),
			       .drift_ppb = estimate->drift_ppb};
}

/* The end of the phase by the borders from that bucket on. */
static uint64_t end_of(const struct phase_clock *clock, const struct border *border)
{
	uint64_t before = border->from * clock->bucket_ns;

	return clock->length_ns ? border_after(border, clock->length_ns - before) : 0;
}

static void send_start(struct phase_clock *clock, struct fleet_host *host)
{
	struct clock_estimate estimate;
	struct border *border = RECORD_APPEND(host->borders, host->borders_count);

	*border = border_at(clock, host, 0, &estimate);
	struct start start = {.at_ns = border->at_ns,
			      .end_ns = end_of(clock, border),
			      .drift_ppb = border->drift_ppb,
			      .controller_ns = clock->start_ns,
			      .bound_ns = estimate.known ? clock_estimate_bound(&estimate) : 0};
	host->is_started = true;
	fleet_ask(clock->fleet, host, MESSAGE_START, &start);
}

void phase_clock_start(struct phase_clock *clock, struct fleet *fleet, uint64_t length_ns,
		       uint64_t bucket_ns)
{
	*clock = (struct phase_clock){.fleet = fleet,
				      .start_ns = clock_now_ns() + lead_of(fleet),
				      .length_ns = length_ns,
				      .bucket_ns = bucket_ns};
	for (uint32_t i = 0; i < fleet->count; i++)
		if (is_in(&fleet->hosts[i]))
			send_start(clock, &fleet->hosts[i]);
}

/* ---- following ---- */

/* How far the borders in force have come to lie from where they belong, at that bucket. */
static void follow_host(struct phase_clock *clock, struct fleet_host *host, uint32_t bucket)
{
	const struct border *last = &host->borders[host->borders_count - 1];
	struct clock_estimate estimate;
	struct border wanted = border_at(clock, host, bucket, &estimate);

	if (host->is_amending || !estimate.known || estimate.disrupted || bucket < last->from)
		return;
	int64_t moved = (int64_t)(wanted.at_ns - border_of(last, bucket, clock->bucket_ns));
	uint64_t distance = (uint64_t)(moved < 0 ? -moved : moved);
	if (distance <= clock_estimate_bound(&estimate) / 4 || distance >= clock->bucket_ns / 4)
		return;
	struct amend amend = {.bucket = bucket,
			      .at_ns = wanted.at_ns,
			      .end_ns = end_of(clock, &wanted),
			      .drift_ppb = wanted.drift_ppb};
	fleet_amend(clock->fleet, host, &amend);
}

static void follow_all(struct phase_clock *clock, uint32_t bucket)
{
	for (uint32_t i = 0; i < clock->fleet->count; i++) {
		struct fleet_host *host = &clock->fleet->hosts[i];
		if (is_in(host) && fleet_host_is_running(host))
			follow_host(clock, host, bucket);
	}
}

void phase_clock_follow(struct phase_clock *clock)
{
	uint64_t now = clock_now_ns();

	if (now < clock->start_ns) {
		if (now + AMEND_LAST_NS < clock->start_ns &&
		    now - clock->followed_ns > 40 * NS_PER_MS) {
			clock->followed_ns = now;
			follow_all(clock, 0);
		}
		return;
	}
	if (now - clock->followed_ns < FOLLOW_NS)
		return;
	clock_exchange_schedule(clock->fleet->clocks, CLOCK_SCHEDULE_PHASE);
	clock->followed_ns = now;
	uint64_t bucket = (now + AHEAD_NS - clock->start_ns) / clock->bucket_ns + 3;
	if (clock->length_ns && bucket * clock->bucket_ns >= clock->length_ns)
		return; /* too late for it to matter */
	if (bucket < UINT32_MAX)
		follow_all(clock, (uint32_t)bucket);
}

void phase_clock_tail(struct fleet *fleet)
{
	uint64_t end = clock_now_ns() + TAIL_NS;

	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_TAIL);
	while (clock_now_ns() < end)
		fleet_pump(fleet, PUMP_MS);
	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_IDLE);
}
