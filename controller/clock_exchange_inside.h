/* clock_exchange_inside.h - what clock_exchange.c and its thread share. */
#ifndef MUSTER_CONTROLLER_CLOCK_EXCHANGE_INSIDE_H
#define MUSTER_CONTROLLER_CLOCK_EXCHANGE_INSIDE_H

#include <pthread.h>

#include "controller/clock_exchange.h"
#include "controller/clock_pace.h"
#include "controller/clock_samples.h"
#include "proto/clock_socket.h"

/* A host as others see it. */
struct clock_exchange_slot {
	bool is_added, is_zeromq;
	uint32_t generation; /* grows with each add and drop */
	struct clock_exchange_host how;
	struct clock_pace pace; /* of the bursts over ZeroMQ */
	struct clock_samples samples;
};

/* The lock guards all from `is_ending` on; what is before it does not change while the thread runs.
 * The socket is the thread's, but for waking it. */
struct clock_exchange {
	pthread_mutex_t lock;
	pthread_t thread; /* where there is a socket */
	struct clock_socket *socket;
	bool is_ipv6;
	uint32_t count;

	bool is_ending;
	uint32_t changes; /* of generations, schedule, is_ending */
	enum clock_schedule schedule;
	uint64_t dropped;
	struct clock_exchange_slot *hosts;
};

/* The thread: data is the exchange. */
void *clock_exchange_main(void *data);

#endif
