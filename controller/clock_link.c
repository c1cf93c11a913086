#include "controller/clock_link.h"

#include "common/clock.h"
#include "controller/clock_samples.h"

#define GIVE_UP_MIN_NS (100 * NS_PER_MS)
#define GIVE_UP_MAX_NS NS_PER_S
#define RETRY_NS       NS_PER_S
#define SILENT_BURSTS  3
#define WHOLE_BURSTS   2

void clock_link_open(struct clock_link *link, uint64_t session, const struct clock_pace *pace)
{
	*link = (struct clock_link){.is_open = true, .session = session, .pace = *pace};
}

/* ---- round trips ---- */

static void note_round_trip(struct clock_link *link, uint64_t round_trip_ns)
{
	if (round_trip_ns > GIVE_UP_MAX_NS)
		round_trip_ns = GIVE_UP_MAX_NS;
	link->round_trips_ns[link->round_trips++ % CLOCK_LINK_ROUND_TRIPS] =
		(uint32_t)round_trip_ns;
}

/* The second longest of the last 128 is their 99th percentile, near enough; of fewer than two there
 * is none. */
static uint64_t patience_ns(const struct clock_link *link)
{
	uint64_t longest = 0, second = 0;

	for (uint32_t i = 0; i < CLOCK_LINK_ROUND_TRIPS && i < link->round_trips; i++) {
		uint64_t each = link->round_trips_ns[i];
		if (each > longest) {
			second = longest;
			longest = each;
		} else if (each > second) {
			second = each;
		}
	}
	if (4 * second > GIVE_UP_MAX_NS)
		return GIVE_UP_MAX_NS;
	return 4 * second > GIVE_UP_MIN_NS ? 4 * second : GIVE_UP_MIN_NS;
}

/* ---- bursts ---- */

static void end_burst(struct clock_link *link, bool is_whole)
{
	link->is_out = false;
	link->left = 0;
	link->silent_bursts = link->is_burst_answered ? 0 : link->silent_bursts + 1;
	link->whole_bursts = is_whole ? link->whole_bursts + 1 : 0;
	if (link->silent_bursts >= SILENT_BURSTS)
		link->is_zeromq = true;
	else if (link->whole_bursts >= WHOLE_BURSTS)
		link->is_zeromq = false;
}

static uint32_t burst_due(struct clock_link *link, uint64_t now_ns)
{
	uint32_t pings = clock_pace_take(&link->pace, now_ns);

	if (!link->is_zeromq) {
		link->retry_ns = now_ns + RETRY_NS;
		return pings;
	}
	if (link->pace.schedule == CLOCK_SCHEDULE_OFF || now_ns < link->retry_ns)
		return 0;
	link->retry_ns = now_ns + RETRY_NS;
	return CLOCK_BURST;
}

bool clock_link_due(struct clock_link *link, uint64_t now_ns)
{
	if (!link->is_open)
		return false;
	if (link->is_out) {
		if (now_ns < link->give_up_ns)
			return false;
		end_burst(link, false);
	}
	if (link->left == 0) {
		link->left = burst_due(link, now_ns);
		link->is_burst_answered = false;
	}
	return link->left > 0;
}

uint64_t clock_link_next(const struct clock_link *link)
{
	if (!link->is_open)
		return CLOCK_PACE_NEVER;
	if (link->is_out)
		return link->give_up_ns;
	if (link->left > 0)
		return 0;
	if (link->is_zeromq && link->pace.schedule != CLOCK_SCHEDULE_OFF)
		return link->retry_ns;
	return link->pace.next_ns;
}

struct clock_packet clock_link_ping(struct clock_link *link, uint64_t now_ns)
{
	link->is_out = true;
	link->sent_ns = now_ns;
	link->give_up_ns = now_ns + patience_ns(link);
	return (struct clock_packet){.kind = CLOCK_PACKET_PING,
				     .session = link->session,
				     .sequence = ++link->sequence,
				     .t1 = now_ns};
}

void clock_link_sent(struct clock_link *link, uint32_t number, uint64_t before_ns)
{
	link->number = number;
	link->before_ns = before_ns;
	if (number == 0)
		end_burst(link, false);
}

/* ---- pongs ---- */

static uint32_t add_errors(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* With the program's t3: before the pong left, so a looser bound, but a true one. */
static struct clock_sample loose_sample(const struct clock_packet *pong,
					const struct clock_link_stamps *stamps)
{
	return (struct clock_sample){
		.t1 = stamps->t1,
		.t2 = pong->t2,
		.t3 = pong->t3,
		.t4 = stamps->t4,
		.upper_error_ns = add_errors(stamps->t1_error_ns, pong->t2_error_ns),
		.lower_error_ns = stamps->t4_error_ns,
		.stamp = CLOCK_STAMP_USER,
	};
}

static void tighten(struct clock_link *link, const struct clock_packet *pong,
		    struct clock_link_news *news)
{
	struct clock_sample tighter = link->loose;

	if (!link->is_loose || pong->previous != link->loose_sequence)
		return;
	tighter.t3 = pong->previous_t3;
	tighter.lower_error_ns = add_errors(tighter.lower_error_ns, pong->previous_t3_error_ns);
	if (link->is_loose_kernel && pong->kernel_previous_t3)
		tighter.stamp = CLOCK_STAMP_KERNEL;
	/* It left after the program said so, and before the next ping came. */
	if (tighter.t3 < link->loose.t3 || tighter.t3 > pong->t3 ||
	    !clock_sample_is_possible(&tighter))
		return;
	news->has_tighter = true;
	news->tighter = tighter;
}

static void keep_sample(struct clock_link *link, const struct clock_packet *pong,
			const struct clock_link_stamps *best, const struct clock_link_stamps *plain,
			struct clock_link_news *news)
{
	const struct clock_link_stamps *stamps = best;

	news->sample = loose_sample(pong, stamps);
	if (!clock_sample_is_possible(&news->sample)) {
		stamps = plain;
		news->sample = loose_sample(pong, stamps);
	}
	link->is_loose = news->has_sample = clock_sample_is_possible(&news->sample);
	link->is_loose_kernel = stamps->is_kernel && pong->kernel_t2;
	link->loose_sequence = pong->sequence;
	link->loose = news->sample;
}

/* An answer that was given up on makes the next wait longer; else a distant host never had one. */
static void learn_from_late(struct clock_link *link, const struct clock_packet *pong,
			    uint64_t now_ns)
{
	if (pong->sequence > link->sequence || pong->sequence <= link->answered ||
	    pong->t1 > now_ns)
		return;
	link->answered = pong->sequence;
	/* Twice, as one alone is an outlier. */
	note_round_trip(link, now_ns - pong->t1);
	note_round_trip(link, now_ns - pong->t1);
}

bool clock_link_take(struct clock_link *link, const struct clock_packet *pong, uint64_t now_ns,
		     const struct clock_link_stamps *best, const struct clock_link_stamps *plain,
		     struct clock_link_news *news)
{
	*news = (struct clock_link_news){0};
	if (!link->is_open || pong->kind != CLOCK_PACKET_PONG)
		return false;
	if (!link->is_out || pong->sequence != link->sequence || pong->t1 != link->sent_ns) {
		learn_from_late(link, pong, now_ns);
		return false;
	}
	link->answered = pong->sequence;
	note_round_trip(link, now_ns > link->sent_ns ? now_ns - link->sent_ns : 0);
	tighten(link, pong, news);
	keep_sample(link, pong, best, plain, news);
	link->is_out = false;
	link->is_burst_answered = true;
	if (--link->left == 0)
		end_burst(link, true);
	return true;
}
