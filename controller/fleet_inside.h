/* fleet_inside.h - what the files of the fleet share.
 *
 * fleet.c holds the hosts and keeps the time, fleet_messages.c takes what agents say, fleet_join.c
 * is how hosts come and go, fleet_ask.c tells them again what was lost, fleet_handshake.c says
 * whose keys are wrong. One thread. */
#ifndef MUSTER_CONTROLLER_FLEET_INSIDE_H
#define MUSTER_CONTROLLER_FLEET_INSIDE_H

#include "controller/fleet.h"

/* A frame of an agent, checked and acted upon. */
void fleet_take_frame(struct fleet *fleet, const struct channel_peer *peer,
		      const struct bytes *frame);

/* A message of another phase or attempt than the one under way. */
void fleet_send_of(struct fleet *fleet, struct fleet_host *host, uint32_t phase, uint32_t attempt,
		   enum message_kind kind, const void *body);

/* A frame as it was packed before. */
void fleet_send_frame(struct fleet *fleet, struct fleet_host *host, const struct bytes *frame);

/* Looks whether what the host in the phase was told has come to it. */
void fleet_take_heartbeat(struct fleet *fleet, struct fleet_host *host,
			  const struct envelope *envelope, const struct heartbeat *beat);

/* Asks for the lease of a host that was greeted. */
void fleet_ask_lease(struct fleet *fleet, struct fleet_host *host);

/* Where the host stands in the fleet. */
uint32_t fleet_number(const struct fleet *fleet, const struct fleet_host *host);

/* A clock exchange over ZeroMQ, where datagrams do not get through. */
void fleet_send_probe(struct fleet *fleet, struct fleet_host *host);

/* Gives up hosts whose handshakes fail, with why. */
void fleet_watch_handshakes(struct fleet *fleet);

/* The host is REFUSED or LOST; `why` is copied. */
void fleet_end_with(struct fleet_host *host, enum fleet_status status, const char *why);

#endif
