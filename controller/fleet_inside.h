/* fleet_inside.h - what the files of the fleet share.
 *
 * fleet.c holds the hosts and keeps the time, fleet_messages.c takes what agents say, fleet_join.c
 * is how hosts come and go, fleet_handshake.c says whose keys are wrong. One thread. */
#ifndef MUSTER_CONTROLLER_FLEET_INSIDE_H
#define MUSTER_CONTROLLER_FLEET_INSIDE_H

#include "controller/fleet.h"

/* A frame of an agent, checked and acted upon. */
void fleet_take_frame(struct fleet *fleet, const struct channel_peer *peer,
		      const struct bytes *frame);

/* Where the host stands in the fleet. */
uint32_t fleet_number(const struct fleet *fleet, const struct fleet_host *host);

/* A clock exchange over ZeroMQ, where datagrams do not get through. */
void fleet_send_probe(struct fleet *fleet, struct fleet_host *host);

/* Gives up hosts whose handshakes fail, with why. */
void fleet_watch_handshakes(struct fleet *fleet);

/* The host is REFUSED or LOST; `why` is copied. */
void fleet_end_with(struct fleet_host *host, enum fleet_status status, const char *why);

#endif
