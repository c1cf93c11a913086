/* auth.h - what keys are good for: pairs of them, and the door of a listening socket.
 *
 * CurveZMQ (rfc.zeromq.org/spec/25, 26): a controller has to know the agent's public key to get
 * through at all, and the agent lets in only controllers whose public key it lists. The library
 * asks for the latter by ZAP (spec 27), over a socket inside the process that the thread of the
 * listening socket answers together with its own (channel.c): no thread of czmq's. */
#ifndef MUSTER_PROTO_AUTH_H
#define MUSTER_PROTO_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "proto/key.h"

/* A new pair from the system's random numbers. -1 (ERROR_SYSTEM) when libzmq has no CURVE. */
int auth_make_pair(struct key_pair *pair, struct error *err);
/* Whether the public part is the secret's. */
bool auth_is_pair(const struct key_pair *pair);

struct auth;

/* Only one in a process at a time. `allowed` is copied: `count` keys of KEY_SIZE bytes. */
struct auth *auth_new(const unsigned char (*allowed)[KEY_SIZE], uint32_t count, struct error *err);
void auth_free(struct auth *auth);

/* The ZeroMQ socket that is readable when a controller knocks. */
void *auth_socket(struct auth *auth);

/* Who was not let in. */
struct auth_refusal {
	char address[64]; /* of the peer, as the library gives it */
	unsigned char key[KEY_SIZE];
};
/* Answers one question that waits. 1: that one was refused, 0: let in, -1: none waits. */
int auth_answer(struct auth *auth, struct auth_refusal *refusal);

#endif
