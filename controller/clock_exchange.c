#include "controller/clock_exchange.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_exchange_inside.h"

/* IPv6 with IPv4 in it where the system has it, IPv4 alone where not. */
static struct clock_socket *open_socket(bool *is_ipv6)
{
	const struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
	const struct sockaddr_in any4 = {.sin_family = AF_INET};
	struct error ignored;
	struct clock_socket *socket =
		clock_socket_open((const struct sockaddr *)&any6, sizeof(any6), &ignored);

	*is_ipv6 = socket != NULL;
	return socket ? socket
		      : clock_socket_open((const struct sockaddr *)&any4, sizeof(any4), &ignored);
}

static void release(struct clock_exchange *exchange)
{
	clock_socket_close(exchange->socket);
	pthread_mutex_destroy(&exchange->lock);
	for (uint32_t i = 0; i < exchange->count; i++)
		clock_samples_release(&exchange->hosts[i].samples);
	free(exchange->hosts);
	free(exchange);
}

struct clock_exchange *clock_exchange_new(uint32_t hosts, struct error *err)
{
	struct clock_exchange *exchange = mem_new(1, sizeof(*exchange));

	exchange->count = hosts;
	exchange->hosts = mem_new(hosts, sizeof(*exchange->hosts));
	pthread_mutex_init(&exchange->lock, NULL);
	exchange->socket = open_socket(&exchange->is_ipv6);
	if (!exchange->socket)
		return exchange;
	int failed = pthread_create(&exchange->thread, NULL, clock_exchange_main, exchange);
	if (failed == 0)
		return exchange;
	error_set(err, ERROR_SYSTEM, "cannot start the thread that exchanges clocks: %s",
		  strerror(failed));
	release(exchange);
	return NULL;
}

/* Begins, and ends with what the thread has to notice. */
static void change(struct clock_exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	exchange->changes++;
}

static void changed(struct clock_exchange *exchange)
{
	pthread_mutex_unlock(&exchange->lock);
	if (exchange->socket)
		clock_socket_wake(exchange->socket);
}

void clock_exchange_free(struct clock_exchange *exchange)
{
	if (!exchange)
		return;
	change(exchange);
	exchange->is_ending = true;
	changed(exchange);
	if (exchange->socket)
		pthread_join(exchange->thread, NULL);
	release(exchange);
}

/* ---- what is exchanged with whom, how often ---- */

void clock_exchange_add(struct clock_exchange *exchange, uint32_t host,
			const struct clock_exchange_host *how)
{
	struct clock_exchange_slot *slot = &exchange->hosts[host];
	uint64_t now = clock_now_ns();

	change(exchange);
	slot->is_added = true;
	slot->how = *how;
	slot->generation++;
	slot->is_zeromq = exchange->socket == NULL;
	clock_pace_start(&slot->pace, host, exchange->count, exchange->schedule, now);
	changed(exchange);
}

void clock_exchange_drop(struct clock_exchange *exchange, uint32_t host)
{
	struct clock_exchange_slot *slot = &exchange->hosts[host];

	change(exchange);
	slot->is_added = false;
	slot->how = (struct clock_exchange_host){0};
	slot->generation++;
	changed(exchange);
}

void clock_exchange_schedule(struct clock_exchange *exchange, enum clock_schedule schedule)
{
	uint64_t now = clock_now_ns();

	change(exchange);
	exchange->schedule = schedule;
	for (uint32_t i = 0; i < exchange->count; i++)
		if (exchange->hosts[i].is_added)
			clock_pace_change(&exchange->hosts[i].pace, schedule, now);
	changed(exchange);
}

/* ---- over ZeroMQ ---- */

bool clock_exchange_wants_zeromq(struct clock_exchange *exchange, uint32_t host)
{
	struct clock_exchange_slot *slot = &exchange->hosts[host];
	uint64_t now = clock_now_ns();

	pthread_mutex_lock(&exchange->lock);
	bool is_wanted = slot->is_added && slot->is_zeromq && clock_pace_take(&slot->pace, now) > 0;
	pthread_mutex_unlock(&exchange->lock);
	return is_wanted;
}

bool clock_exchange_take(struct clock_exchange *exchange, uint32_t host,
			 const struct clock_sample *sample)
{
	if (!clock_sample_is_possible(sample))
		return false;
	pthread_mutex_lock(&exchange->lock);
	clock_samples_add(&exchange->hosts[host].samples, sample);
	pthread_mutex_unlock(&exchange->lock);
	return true;
}

/* ---- what came of it ---- */

/* Memory is had without the lock: a few may come in between, and are left for next time. */
struct clock_sample *clock_exchange_copy(struct clock_exchange *exchange, uint32_t host,
					 uint64_t from_ns, uint32_t *count)
{
	const struct clock_samples *samples = &exchange->hosts[host].samples;

	pthread_mutex_lock(&exchange->lock);
	uint32_t room = clock_samples_since(samples, from_ns);
	pthread_mutex_unlock(&exchange->lock);
	struct clock_sample *copy = mem_new(room, sizeof(*copy));
	pthread_mutex_lock(&exchange->lock);
	uint32_t there = clock_samples_since(samples, from_ns);
	*count = there < room ? there : room;
	/* None at all: nothing that one may point into. */
	if (*count > 0)
		memcpy(copy, samples->samples + samples->count - there, *count * sizeof(*copy));
	pthread_mutex_unlock(&exchange->lock);
	return copy;
}

struct clock_estimate clock_exchange_estimate(struct clock_exchange *exchange, uint32_t host,
					      uint64_t now, uint64_t t)
{
	uint64_t from = now > CLOCK_FIT_WINDOW_NS ? now - CLOCK_FIT_WINDOW_NS : 0;
	uint32_t count;
	struct clock_sample *samples = clock_exchange_copy(exchange, host, from, &count);
	struct clock_estimate estimate = clock_fit_ahead(samples, count, now, t);

	free(samples);
	return estimate;
}

#define SLOWEST_OF 64

uint64_t clock_exchange_slowest(struct clock_exchange *exchange, uint32_t host)
{
	uint64_t slowest = 0;

	pthread_mutex_lock(&exchange->lock);
	const struct clock_samples *of = &exchange->hosts[host].samples;
	for (uint32_t i = of->count > SLOWEST_OF ? of->count - SLOWEST_OF : 0; i < of->count; i++)
		if (of->samples[i].t4 - of->samples[i].t1 > slowest)
			slowest = of->samples[i].t4 - of->samples[i].t1;
	pthread_mutex_unlock(&exchange->lock);
	return slowest;
}

uint32_t clock_exchange_count(struct clock_exchange *exchange, uint32_t host)
{
	pthread_mutex_lock(&exchange->lock);
	uint32_t count = exchange->hosts[host].samples.taken;
	pthread_mutex_unlock(&exchange->lock);
	return count;
}

uint64_t clock_exchange_dropped(struct clock_exchange *exchange)
{
	pthread_mutex_lock(&exchange->lock);
	uint64_t dropped = exchange->dropped;
	pthread_mutex_unlock(&exchange->lock);
	return dropped;
}
