/* clock_link.h - where the exchange with one host stands: the burst under way, the ping that is
 * out, and whether datagrams get through at all.
 *
 * A ping is given up after 100 ms, or four times the 99th percentile of the last round trips (at
 * most 1 s), and its burst with it. Three bursts in a row without any pong: the host goes to
 * ZeroMQ, and a burst is tried each second; two whole ones in a row bring it back.
 *
 * A pong also tells when the one before truly left: its sample, usable before with the program's
 * looser t3, is tightened then. Time and stamps are handed in; nothing is sent from here. */
#ifndef MUSTER_CONTROLLER_CLOCK_LINK_H
#define MUSTER_CONTROLLER_CLOCK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/clock_fit.h"
#include "controller/clock_pace.h"
#include "proto/clock_packet.h"

#define CLOCK_LINK_ROUND_TRIPS 128

/* When the ping left and its pong came, as well as is known. */
struct clock_link_stamps {
	uint64_t t1, t4;
	uint32_t t1_error_ns, t4_error_ns;
	bool is_kernel; /* both */
};

struct clock_link {
	bool is_open, is_zeromq;
	uint64_t session;
	struct clock_pace pace;
	uint64_t retry_ns; /* next burst while on ZeroMQ */
	uint32_t silent_bursts, whole_bursts;

	uint32_t sequence; /* of the latest ping */
	uint32_t answered; /* the highest sequence that was */
	uint32_t left;     /* of the burst, with the one that is out; 0: no burst */
	bool is_out, is_burst_answered;
	uint64_t sent_ns, give_up_ns; /* sent_ns is in the ping, which then took time to seal */
	uint64_t before_ns;           /* the program's clock just before it went */
	uint32_t number;              /* on the socket */

	/* The latest sample, until its true t3 comes: no errors of t3 in it yet. */
	bool is_loose, is_loose_kernel;
	uint32_t loose_sequence;
	struct clock_sample loose;

	uint32_t round_trips_ns[CLOCK_LINK_ROUND_TRIPS];
	uint32_t round_trips;
};

/* What a pong has brought. */
struct clock_link_news {
	bool has_sample, has_tighter;
	struct clock_sample sample;
	struct clock_sample tighter; /* in place of the one with its t1 */
};

/* From nothing; a link that was open before is forgotten. */
void clock_link_open(struct clock_link *link, uint64_t session, const struct clock_pace *pace);

/* Whether a ping is to be sent now; gives up what is overdue and begins the burst that is due. */
bool clock_link_due(struct clock_link *link, uint64_t now_ns);
/* The next instant at which clock_link_due may have something to say; CLOCK_PACE_NEVER: none. */
uint64_t clock_link_next(const struct clock_link *link);

/* The ping to send, and how that went: its number on the socket (0: it could not be sent) and the
 * program's clock just before. */
struct clock_packet clock_link_ping(struct clock_link *link, uint64_t now_ns);
void clock_link_sent(struct clock_link *link, uint32_t number, uint64_t before_ns);

/* Takes an authentic packet of this session, seen at `now_ns`. False: it answers nothing that is
 * out. `best` are the best stamps to be had, `plain` the program's own, which count when the best
 * are impossible. */
bool clock_link_take(struct clock_link *link, const struct clock_packet *pong, uint64_t now_ns,
		     const struct clock_link_stamps *best, const struct clock_link_stamps *plain,
		     struct clock_link_news *news);

#endif
