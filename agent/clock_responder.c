#include "agent/clock_responder.h"

#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/clock_socket.h"
#include "proto/endpoint.h"

#define WAIT_MS 1000 /* a wake comes at once; this is for one that got lost */

/* Whom the thread answers, and the answer before, whose true departure the next one tells. */
struct asker {
	struct clock_key *key; /* NULL: nobody */
	uint64_t session;
	uint32_t sequence;  /* of the latest ping */
	uint32_t number;    /* of its pong on the socket; 0: it was not sent */
	uint64_t before_ns; /* the program's clock just before it was */
};

/* The lock guards what is below it; the socket and its counts are the thread's. */
struct clock_responder {
	struct clock_socket *socket;
	uint16_t port;
	pthread_t thread;
	pthread_mutex_t lock;
	bool is_ending, is_changed, is_set;
	uint64_t session;
	unsigned char key[CLOCK_KEY_SIZE];
	struct clock_responder_counts counts;
};

/* ---- the thread ---- */

/* What was set since the last look. False: end. */
static bool follow(struct clock_responder *responder, struct asker *asker)
{
	unsigned char key[CLOCK_KEY_SIZE];

	pthread_mutex_lock(&responder->lock);
	bool is_ending = responder->is_ending, is_changed = responder->is_changed;
	bool is_set = responder->is_set;
	uint64_t session = responder->session;
	responder->is_changed = false;
	memcpy(key, responder->key, sizeof(key));
	pthread_mutex_unlock(&responder->lock);
	if (is_changed) {
		clock_key_free(asker->key);
		*asker = (struct asker){.session = session,
					.key = is_set ? clock_key_new(key) : NULL};
	}
	return !is_ending;
}

static void count(struct clock_responder *responder, bool answered)
{
	pthread_mutex_lock(&responder->lock);
	struct clock_responder_counts *counts = &responder->counts;
	*(answered ? &counts->answered : &counts->dropped) += 1;
	counts->kernel_receive = clock_socket_kernel_receive(responder->socket);
	counts->kernel_send = clock_socket_kernel_send(responder->socket);
	pthread_mutex_unlock(&responder->lock);
}

/* A sequence is taken once and never goes back: what was recorded on the way is worth nothing. */
static bool is_to_answer(const struct asker *asker, const struct clock_datagram *datagram,
			 struct clock_packet *ping)
{
	return asker->key &&
	       clock_packet_unpack(ping, asker->key, datagram->data, datagram->size) &&
	       ping->kind == CLOCK_PACKET_PING && ping->session == asker->session &&
	       ping->sequence > asker->sequence;
}

static struct clock_packet make_pong(struct clock_responder *responder, const struct asker *asker,
				     const struct clock_datagram *datagram,
				     const struct clock_packet *ping)
{
	struct clock_packet pong = {
		.kind = CLOCK_PACKET_PONG,
		.session = ping->session,
		.sequence = ping->sequence,
		.t1 = ping->t1,
		.t2 = datagram->at_ns,
		.t2_error_ns = datagram->error_ns,
		.kernel_t2 = datagram->kernel,
	};

	pong.kernel_previous_t3 = clock_socket_sent(responder->socket, asker->number,
						    &pong.previous_t3, &pong.previous_t3_error_ns);
	pong.previous = asker->number ? asker->sequence : 0;
	/* Later than what that pong had to say before it was sealed, and still before it left. */
	if (!pong.kernel_previous_t3) {
		pong.previous_t3 = asker->number ? asker->before_ns : 0;
		pong.previous_t3_error_ns = asker->number ? 1 : 0;
	}
	return pong;
}

static bool answer(struct clock_responder *responder, struct asker *asker,
		   const struct clock_datagram *datagram)
{
	struct clock_packet ping;
	unsigned char data[CLOCK_PACKET_SIZE];

	if (!is_to_answer(asker, datagram, &ping))
		return false;
	struct clock_packet pong = make_pong(responder, asker, datagram, &ping);
	asker->sequence = ping.sequence;
	pong.t3 = clock_now_ns();
	clock_packet_pack(&pong, asker->key, data);
	/* One that cannot be sent is, to the controller, one that was lost. */
	if (clock_socket_send(responder->socket, data, sizeof(data),
			      (const struct sockaddr *)&datagram->from, datagram->from_size,
			      &asker->number, &asker->before_ns) < 0)
		asker->number = 0;
	return true;
}

static void *respond(void *data)
{
	struct clock_responder *responder = data;
	struct clock_datagram datagram;
	struct asker asker = {0};

	clock_socket_thread("clock");
	while (follow(responder, &asker)) {
		bool came = clock_socket_receive(responder->socket, WAIT_MS, &datagram) == 1;
		/* Looked at again, so that no other than the latest session is answered. */
		if (came && follow(responder, &asker))
			count(responder, answer(responder, &asker, &datagram));
	}
	clock_key_free(asker.key);
	return NULL;
}

/* ---- what others call ---- */

static struct clock_socket *listen_at(const char *host, const char *port, struct error *err)
{
	struct addrinfo *found, hints = {.ai_family = AF_UNSPEC,
					 .ai_socktype = SOCK_DGRAM,
					 .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	int failed = getaddrinfo(host, port, &hints, &found);

	if (failed) {
		error_set(err, ERROR_SYSTEM, "%s", gai_strerror(failed));
		return NULL;
	}
	struct clock_socket *socket = clock_socket_open(found->ai_addr, found->ai_addrlen, err);
	freeaddrinfo(found);
	return socket;
}

/* "*" is, as for ZeroMQ, IPv6 with IPv4 in it, or IPv4 where there is no other. */
static struct clock_socket *listen_on(const char *endpoint, struct error *err)
{
	char host[ENDPOINT_HOST_SIZE], port[ENDPOINT_PORT_SIZE];

	endpoint_split(endpoint, host, port);
	bool is_any = strcmp(host, "*") == 0;
	struct clock_socket *socket = listen_at(is_any ? "::" : host, port, err);
	if (!socket && is_any)
		socket = listen_at("0.0.0.0", port, err);
	if (!socket)
		error_prefix(err, "cannot listen on '%s' for clock datagrams", endpoint);
	return socket;
}

struct clock_responder *clock_responder_new(const char *endpoint, struct error *err)
{
	struct clock_socket *socket = listen_on(endpoint, err);

	if (!socket)
		return NULL;
	struct clock_responder *responder = mem_new(1, sizeof(*responder));
	responder->socket = socket;
	responder->port = clock_socket_port(socket);
	responder->counts.kernel_receive = clock_socket_kernel_receive(socket);
	responder->counts.kernel_send = clock_socket_kernel_send(socket);
	pthread_mutex_init(&responder->lock, NULL);
	int failed = pthread_create(&responder->thread, NULL, respond, responder);
	if (failed == 0)
		return responder;
	error_set(err, ERROR_SYSTEM, "cannot start the thread that answers clock datagrams: %s",
		  strerror(failed));
	pthread_mutex_destroy(&responder->lock);
	clock_socket_close(socket);
	free(responder);
	return NULL;
}

void clock_responder_free(struct clock_responder *responder)
{
	if (!responder)
		return;
	pthread_mutex_lock(&responder->lock);
	responder->is_ending = true;
	pthread_mutex_unlock(&responder->lock);
	clock_socket_wake(responder->socket);
	pthread_join(responder->thread, NULL);
	pthread_mutex_destroy(&responder->lock);
	clock_socket_close(responder->socket);
	free(responder);
}

uint16_t clock_responder_port(const struct clock_responder *responder)
{
	return responder->port;
}

void clock_responder_set(struct clock_responder *responder, uint64_t session,
			 const unsigned char key[CLOCK_KEY_SIZE])
{
	pthread_mutex_lock(&responder->lock);
	responder->is_changed = true;
	responder->is_set = key != NULL;
	responder->session = session;
	if (key)
		memcpy(responder->key, key, CLOCK_KEY_SIZE);
	else
		memset(responder->key, 0, CLOCK_KEY_SIZE);
	pthread_mutex_unlock(&responder->lock);
	clock_socket_wake(responder->socket);
}

struct clock_responder_counts clock_responder_counts(struct clock_responder *responder)
{
	pthread_mutex_lock(&responder->lock);
	struct clock_responder_counts counts = responder->counts;
	pthread_mutex_unlock(&responder->lock);
	return counts;
}
