#include "proto/auth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <czmq.h>

#include "common/memory.h"
#include "proto/endpoint.h"

/* Where the library looks for it (spec 27). */
#define ZAP_ENDPOINT "inproc://zeromq.zap.01"

/* version, request, domain, address, identity, mechanism, credentials */
#define PARTS 7

/* ---- pairs ---- */

#define Z85_SIZE 41

int auth_make_pair(struct key_pair *pair, struct error *err)
{
	char public[Z85_SIZE], secret[Z85_SIZE];
	int failed = zmq_curve_keypair(public, secret);

	if (!failed)
		failed = !zmq_z85_decode(pair->public, public) ||
			 !zmq_z85_decode(pair->secret, secret);
	if (failed)
		error_set(err, ERROR_SYSTEM,
			  "cannot make a pair of keys: %s; libzmq has to be built with CURVE",
			  zmq_strerror(errno));
	key_wipe(secret, sizeof(secret));
	return failed ? -1 : 0;
}

bool auth_is_pair(const struct key_pair *pair)
{
	char public[Z85_SIZE], secret[Z85_SIZE];
	unsigned char real[KEY_SIZE];
	bool is_pair = zmq_z85_encode(secret, pair->secret, KEY_SIZE) &&
		       zmq_curve_public(public, secret) == 0 && zmq_z85_decode(real, public) &&
		       memcmp(real, pair->public, KEY_SIZE) == 0;

	key_wipe(secret, sizeof(secret));
	return is_pair;
}

/* ---- the door ---- */

struct auth {
	void *socket;
	unsigned char (*allowed)[KEY_SIZE];
	uint32_t count;
};

struct auth *auth_new(const unsigned char (*allowed)[KEY_SIZE], uint32_t count, struct error *err)
{
	struct auth *auth = mem_new(1, sizeof(*auth));
	int linger = 0;

	auth->allowed = mem_new(count, KEY_SIZE);
	memcpy(auth->allowed, allowed, (size_t)count * KEY_SIZE);
	auth->count = count;
	auth->socket = zmq_socket(zsys_init(), ZMQ_REP);
	if (auth->socket)
		zmq_setsockopt(auth->socket, ZMQ_LINGER, &linger, sizeof(linger));
	if (auth->socket && zmq_bind(auth->socket, ZAP_ENDPOINT) == 0)
		return auth;
	error_set(err, ERROR_SYSTEM, "cannot answer who is let in: %s", zmq_strerror(errno));
	auth_free(auth);
	return NULL;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	/* Closing alone would free the name later, in another thread. */
	if (auth->socket) {
		zmq_unbind(auth->socket, ZAP_ENDPOINT);
		zmq_close(auth->socket);
	}
	free(auth->allowed);
	free(auth);
}

void *auth_socket(struct auth *auth)
{
	return auth->socket;
}

/* The parts that count, of one question. */
struct question {
	char request[256];
	size_t request_size;
	struct auth_refusal who;
	bool has_key, is_curve, is_version;
};

static void take_part(struct question *question, int number, const void *data, size_t size)
{
	struct auth_refusal *who = &question->who;

	if (number == 0)
		question->is_version = size == 3 && memcmp(data, "1.0", 3) == 0;
	if (number == 1 && size <= sizeof(question->request)) {
		memcpy(question->request, data, size);
		question->request_size = size;
	}
	if (number == 3 && size < sizeof(who->address))
		memcpy(who->address, data, size);
	if (number == 5)
		question->is_curve = size == 5 && memcmp(data, "CURVE", 5) == 0;
	if (number == 6 && size == KEY_SIZE) {
		memcpy(who->key, data, size);
		question->has_key = true;
	}
}

/* Whether one waited; it counts as a question only in its right form. */
static bool receive(struct auth *auth, struct question *question)
{
	int number = 0, more = 1;

	while (more) {
		zmq_msg_t part;
		zmq_msg_init(&part);
		if (zmq_msg_recv(&part, auth->socket, ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(&part);
			return false;
		}
		take_part(question, number++, zmq_msg_data(&part), zmq_msg_size(&part));
		more = zmq_msg_more(&part);
		zmq_msg_close(&part);
	}
	question->has_key = question->has_key && number == PARTS;
	return true;
}

/* Public keys: nothing is given away by how long it takes. */
static bool is_allowed(const struct auth *auth, const struct question *question)
{
	if (!question->is_version || !question->is_curve || !question->has_key)
		return false;
	for (uint32_t i = 0; i < auth->count; i++)
		if (memcmp(auth->allowed[i], question->who.key, KEY_SIZE) == 0)
			return true;
	return false;
}

static void answer(struct auth *auth, const struct question *question, bool allowed)
{
	const char *code = allowed ? "200" : "400";

	zmq_send(auth->socket, "1.0", 3, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(auth->socket, question->request, question->request_size,
		 ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(auth->socket, code, 3, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(auth->socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT); /* text */
	zmq_send(auth->socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT); /* user */
	zmq_send(auth->socket, "", 0, ZMQ_DONTWAIT);               /* metadata */
}

int auth_answer(struct auth *auth, struct auth_refusal *refusal)
{
	struct question question = {0};

	if (!receive(auth, &question))
		return -1;
	bool allowed = is_allowed(auth, &question);
	answer(auth, &question, allowed);
	*refusal = question.who;
	const char *bare = endpoint_bare_address(refusal->address);
	memmove(refusal->address, bare, strlen(bare) + 1);
	return allowed ? 0 : 1;
}
