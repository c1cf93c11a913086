/* clock_exchange.h - the controller's clock exchanges with every agent, in a thread of its own.
 *
 * Bursts of five ping-pongs over UDP, the next ping on the reply; how often by the state of the
 * run; hosts are staggered. A host from which no datagram comes back is marked as wanting the
 * exchange over ZeroMQ, which the fleet's thread then does (it alone touches that socket) and hands
 * in here; UDP is tried again each second. One lock guards the samples; it is never held over a
 * system call, but for growing their memory. A sample's stamp is KERNEL when all four instants are
 * the kernel's, USER also when only some are; the latest is USER until the next pong tells when its
 * own truly left. */
#ifndef MUSTER_CONTROLLER_CLOCK_EXCHANGE_H
#define MUSTER_CONTROLLER_CLOCK_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/error.h"
#include "controller/clock_fit.h"
#include "proto/clock_packet.h"

#define CLOCK_BURST 5

enum clock_schedule {
	CLOCK_SCHEDULE_OFF,
	CLOCK_SCHEDULE_JOIN,  /* three bursts of 16 within 1 s, then four bursts a second */
	CLOCK_SCHEDULE_IDLE,  /* a burst a second */
	CLOCK_SCHEDULE_ARMED, /* ten bursts a second: before a start */
	CLOCK_SCHEDULE_PHASE, /* four bursts a second */
	CLOCK_SCHEDULE_TAIL,  /* ten bursts a second: after a phase */
};

struct clock_exchange;

struct clock_exchange_host {
	struct sockaddr_storage address; /* of the agent's UDP port */
	socklen_t address_size;
	uint64_t session;
	unsigned char key[CLOCK_KEY_SIZE];
};

/* One for each host of the fleet, numbered alike; nothing is sent before clock_exchange_add. NULL
 * with err only when no thread can be had; without a UDP socket every host wants ZeroMQ. */
struct clock_exchange *clock_exchange_new(uint32_t hosts, struct error *err);
void clock_exchange_free(struct clock_exchange *exchange);

void clock_exchange_add(struct clock_exchange *exchange, uint32_t host,
			const struct clock_exchange_host *how);
/* Lost or released: no more datagrams to it. Samples stay. */
void clock_exchange_drop(struct clock_exchange *exchange, uint32_t host);

/* Holds from now on, for hosts to come as well. Saying JOIN again after another joins again. */
void clock_exchange_schedule(struct clock_exchange *exchange, enum clock_schedule schedule);

/* Whether it is time to exchange with this host over ZeroMQ; at most once a burst is due. */
bool clock_exchange_wants_zeromq(struct clock_exchange *exchange, uint32_t host);
/* Takes a sample from the fleet's thread. Impossible stamps are dropped: false. */
bool clock_exchange_take(struct clock_exchange *exchange, uint32_t host,
			 const struct clock_sample *sample);

/* Where theta stands at `t` from what is known at `now` (clock_fit_ahead). */
struct clock_estimate clock_exchange_estimate(struct clock_exchange *exchange, uint32_t host,
					      uint64_t now, uint64_t t);

/* A copy of the samples whose t1 is at or after `from_ns` (0: all so far), in order of t1, the
 * caller's to free; those of a long run are thinned to at most CLOCK_EXCHANGE_KEPT (48 bytes each),
 * the tightest of each slice (clock_samples.h). */
#define CLOCK_EXCHANGE_KEPT 100000
struct clock_sample *clock_exchange_copy(struct clock_exchange *exchange, uint32_t host,
					 uint64_t from_ns, uint32_t *count);
/* The slowest round trip of the last 64 exchanges, the agent's holding time included, ns; 0 without
 * any: how far ahead a start has to be sent. */
uint64_t clock_exchange_slowest(struct clock_exchange *exchange, uint32_t host);
/* All that were ever taken, those thinned out too. */
uint32_t clock_exchange_count(struct clock_exchange *exchange, uint32_t host);
/* Datagrams dropped: forged, replayed, garbage, come too late, with impossible stamps. */
uint64_t clock_exchange_dropped(struct clock_exchange *exchange);

#endif
