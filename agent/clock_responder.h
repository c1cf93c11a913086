/* clock_responder.h - answers clock datagrams in a thread of its own, for the lease that holds. */
#ifndef MUSTER_AGENT_CLOCK_RESPONDER_H
#define MUSTER_AGENT_CLOCK_RESPONDER_H

#include <stdint.h>

#include "common/error.h"
#include "proto/clock_packet.h"

struct clock_responder;

/* A UDP socket on the address and port that the agent listens on ("tcp://ADDRESS:PORT", with the
 * real port); NULL with err when it cannot be had: the exchange then goes over ZeroMQ. */
struct clock_responder *clock_responder_new(const char *endpoint, struct error *err);
void clock_responder_free(struct clock_responder *responder);
uint16_t clock_responder_port(const struct clock_responder *responder);

/* Answers this session only, from now on; what is forged, replayed or of another is dropped and
 * counted. An answer is as long as its question. NULL key: none. */
void clock_responder_set(struct clock_responder *responder, uint64_t session,
			 const unsigned char key[CLOCK_KEY_SIZE]);

struct clock_responder_counts {
	uint64_t answered, dropped;
	int kernel_receive, kernel_send; /* stamp capability */
};
struct clock_responder_counts clock_responder_counts(struct clock_responder *responder);

#endif
