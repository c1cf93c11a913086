/* clock_exchange_thread.c - sends the pings, takes the pongs.
 *
 * What is under way with each host is this thread's own; changes are copied in, samples are handed
 * out, both under the lock and nothing else. */
#include "controller/clock_exchange_inside.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_link.h"

#define WAIT_MAX_MS 1000

struct peer {
	struct clock_link link;
	struct clock_key *key;
	struct clock_exchange_host how; /* address as the socket takes it */
	uint32_t generation;
	bool is_added;
};

struct work {
	struct clock_exchange *exchange;
	struct peer *peers;
	uint32_t changes;
	enum clock_schedule schedule;
	uint64_t next_ns; /* when some peer has something to do */
};

/* ---- changes ---- */

/* An IPv4 address in the form that an IPv6 socket takes. */
static void map_address(struct clock_exchange_host *how)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

	if (how->address.ss_family != AF_INET)
		return;
	memcpy(&v4, &how->address, sizeof(v4));
	v6.sin6_port = v4.sin_port;
	v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&v6.sin6_addr.s6_addr[12], &v4.sin_addr, sizeof(v4.sin_addr));
	memset(&how->address, 0, sizeof(how->address));
	memcpy(&how->address, &v6, sizeof(v6));
	how->address_size = sizeof(v6);
}

/* A host that came, went, or came again. */
static void renew(struct work *work, uint32_t host)
{
	struct peer *peer = &work->peers[host];
	struct clock_pace pace;

	clock_key_free(peer->key);
	peer->key = NULL;
	peer->link = (struct clock_link){0};
	if (!peer->is_added)
		return;
	if (work->exchange->is_ipv6)
		map_address(&peer->how);
	peer->key = clock_key_new(peer->how.key);
	clock_pace_start(&pace, host, work->exchange->count, work->schedule, clock_now_ns());
	clock_link_open(&peer->link, peer->how.session, &pace);
}

/* Copies one that has changed; true: it has. */
static bool copy_change(const struct clock_exchange_slot *slot, struct peer *peer)
{
	if (peer->generation == slot->generation)
		return false;
	peer->generation = slot->generation;
	peer->is_added = slot->is_added;
	peer->how = slot->how;
	return true;
}

static void follow_changes(struct work *work)
{
	struct clock_exchange *exchange = work->exchange;
	bool *has_changed = mem_new(exchange->count, sizeof(*has_changed));

	pthread_mutex_lock(&exchange->lock);
	work->changes = exchange->changes;
	work->schedule = exchange->schedule;
	for (uint32_t i = 0; i < exchange->count; i++)
		has_changed[i] = copy_change(&exchange->hosts[i], &work->peers[i]);
	pthread_mutex_unlock(&exchange->lock);
	uint64_t now = clock_now_ns();
	for (uint32_t i = 0; i < exchange->count; i++) {
		if (has_changed[i])
			renew(work, i);
		else if (work->peers[i].link.is_open)
			clock_pace_change(&work->peers[i].link.pace, work->schedule, now);
	}
	free(has_changed);
	work->next_ns = 0;
}

/* False: end. */
static bool follow(struct work *work)
{
	struct clock_exchange *exchange = work->exchange;

	pthread_mutex_lock(&exchange->lock);
	bool is_ending = exchange->is_ending, has_changed = work->changes != exchange->changes;
	pthread_mutex_unlock(&exchange->lock);
	if (has_changed && !is_ending)
		follow_changes(work);
	return !is_ending;
}

/* ---- pings ---- */

static void ping(struct work *work, struct peer *peer)
{
	unsigned char data[CLOCK_PACKET_SIZE];
	struct clock_packet packet = clock_link_ping(&peer->link, clock_now_ns());
	uint32_t number;
	uint64_t before_ns;

	clock_packet_pack(&packet, peer->key, data);
	int failed = clock_socket_send(work->exchange->socket, data, sizeof(data),
				       (const struct sockaddr *)&peer->how.address,
				       peer->how.address_size, &number, &before_ns);
	clock_link_sent(&peer->link, failed ? 0 : number, before_ns);
}

/* Tells the others of a host that has gone to ZeroMQ, or come back. */
static void publish_way(struct work *work, uint32_t host)
{
	struct clock_exchange_slot *slot = &work->exchange->hosts[host];
	const struct peer *peer = &work->peers[host];
	uint64_t now = clock_now_ns();

	pthread_mutex_lock(&work->exchange->lock);
	if (slot->generation == peer->generation && slot->is_zeromq != peer->link.is_zeromq) {
		slot->is_zeromq = peer->link.is_zeromq;
		clock_pace_start(&slot->pace, host, work->exchange->count, work->exchange->schedule,
				 now);
	}
	pthread_mutex_unlock(&work->exchange->lock);
}

static void serve(struct work *work, uint32_t host)
{
	struct peer *peer = &work->peers[host];
	bool was_zeromq = peer->link.is_zeromq;

	if (clock_link_due(&peer->link, clock_now_ns()))
		ping(work, peer);
	if (peer->link.is_zeromq != was_zeromq)
		publish_way(work, host);
	uint64_t next = clock_link_next(&peer->link);
	if (next < work->next_ns)
		work->next_ns = next;
}

static void serve_all(struct work *work)
{
	work->next_ns = CLOCK_PACE_NEVER;
	for (uint32_t i = 0; i < work->exchange->count; i++)
		serve(work, i);
}

/* ---- pongs ---- */

/* Whose session the datagram claims; as many as hosts: nobody's. */
static uint32_t find_peer(const struct work *work, const struct clock_datagram *datagram)
{
	uint64_t session;
	uint32_t host = 0;

	if (!clock_packet_session(datagram->data, datagram->size, &session))
		return work->exchange->count;
	while (host < work->exchange->count &&
	       !(work->peers[host].link.is_open && work->peers[host].link.session == session))
		host++;
	return host;
}

static void publish_news(struct work *work, uint32_t host, const struct clock_link_news *news)
{
	struct clock_exchange_slot *slot = &work->exchange->hosts[host];

	pthread_mutex_lock(&work->exchange->lock);
	if (slot->generation == work->peers[host].generation) {
		if (news->has_tighter)
			clock_samples_replace(&slot->samples, &news->tighter);
		if (news->has_sample)
			clock_samples_add(&slot->samples, &news->sample);
		/* Authentic, but not the stamps of any exchange. */
		work->exchange->dropped += !news->has_sample;
	}
	pthread_mutex_unlock(&work->exchange->lock);
}

/* False: dropped. */
static bool take_pong(struct work *work, uint32_t host, const struct clock_datagram *datagram)
{
	struct peer *peer = &work->peers[host];
	struct clock_packet pong;
	struct clock_link_news news;

	if (!clock_packet_unpack(&pong, peer->key, datagram->data, datagram->size))
		return false;
	struct clock_link_stamps plain = {
		.t1 = peer->link.before_ns,
		.t4 = datagram->seen_ns,
		.t1_error_ns = 1, /* what a clock in whole ns cannot say */
		.t4_error_ns = 1,
	};
	struct clock_link_stamps best = plain;
	bool is_kernel_t1 = clock_socket_sent(work->exchange->socket, peer->link.number, &best.t1,
					      &best.t1_error_ns);
	if (!is_kernel_t1) {
		best.t1 = plain.t1;
		best.t1_error_ns = plain.t1_error_ns;
	}
	best.t4 = datagram->at_ns;
	best.t4_error_ns = datagram->error_ns;
	best.is_kernel = is_kernel_t1 && datagram->kernel;
	if (!clock_link_take(&peer->link, &pong, datagram->seen_ns, &best, &plain, &news))
		return false;
	publish_news(work, host, &news);
	return true;
}

static void take(struct work *work, const struct clock_datagram *datagram)
{
	uint32_t host = find_peer(work, datagram);
	bool was_zeromq = host < work->exchange->count && work->peers[host].link.is_zeromq;

	if (host < work->exchange->count && take_pong(work, host, datagram)) {
		if (work->peers[host].link.is_zeromq != was_zeromq)
			publish_way(work, host);
		/* The next ping of the burst goes on the reply. */
		serve(work, host);
		return;
	}
	pthread_mutex_lock(&work->exchange->lock);
	work->exchange->dropped++;
	pthread_mutex_unlock(&work->exchange->lock);
}

static int wait_ms(const struct work *work)
{
	uint64_t now = clock_now_ns();

	if (work->next_ns <= now)
		return 0;
	uint64_t wait = (work->next_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return wait < WAIT_MAX_MS ? (int)wait : WAIT_MAX_MS;
}

void *clock_exchange_main(void *data)
{
	struct work work = {.exchange = data, .next_ns = CLOCK_PACE_NEVER};
	struct clock_datagram datagram;

	work.peers = mem_new(work.exchange->count, sizeof(*work.peers));
	clock_socket_thread("clock");
	while (follow(&work)) {
		if (clock_now_ns() >= work.next_ns)
			serve_all(&work);
		if (clock_socket_receive(work.exchange->socket, wait_ms(&work), &datagram) == 1)
			take(&work, &datagram);
	}
	for (uint32_t i = 0; i < work.exchange->count; i++)
		clock_key_free(work.peers[i].key);
	free(work.peers);
	return NULL;
}
