/* fleet_join.c - how hosts come into the fleet and leave it. */
#include "controller/fleet_inside.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "controller/absent.h"
#include "proto/version.h"

#define JOIN_NS          (10 * NS_PER_S)
#define OTHERS_NS        (NS_PER_S / 2)
#define JOIN_AGAIN_NS    (3 * NS_PER_S)
#define MEET_NS          (3 * NS_PER_S)
#define RELEASE_AGAIN_NS NS_PER_S

/* ---- joining ---- */

static void say_hello(struct fleet *fleet)
{
	char name[256] = "?";

	gethostname(name, sizeof(name) - 1);
	struct hello hello = {.version = (char *)version_text(),
			      .fingerprint = (char *)version_fingerprint(),
			      .host = name,
			      .program = "muster"};
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status == FLEET_STATUS_CONNECTING)
			fleet_send(fleet, &fleet->hosts[i], MESSAGE_HELLO, &hello);
}

/* Who has not answered: his word or ours may be lost with a connection. */
static void say_again(struct fleet *fleet)
{
	say_hello(fleet);
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status == FLEET_STATUS_GREETED)
			fleet_ask_lease(fleet, &fleet->hosts[i]);
}

static bool is_joining(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status < FLEET_STATUS_LEASED)
			return true;
	return false;
}

#define LOOKS_MOST    512 /* at one time: each takes a descriptor */
#define ONE_LINE_MOST 900 /* of what an error has room for */

/* Why nothing came of the hosts that said nothing themselves. */
static void look_at_silent(struct fleet *fleet, uint64_t silence_ns)
{
	struct reach_look looks[LOOKS_MOST];
	struct fleet_host *silent[LOOKS_MOST];

	for (uint32_t next = 0; next < fleet->count;) {
		uint32_t count = 0;
		for (; next < fleet->count && count < LOOKS_MOST; next++) {
			if (fleet->hosts[next].status >= FLEET_STATUS_LEASED)
				continue;
			looks[count].reach = &fleet->hosts[next].reach;
			looks[count].silence_ns = silence_ns;
			silent[count++] = &fleet->hosts[next];
		}
		reach_look(looks, count);
		for (uint32_t i = 0; i < count; i++) {
			free(silent[i]->why);
			silent[i]->why = looks[i].why;
		}
	}
}

/* Every host that did not join, and why: a single reason is the error's, of several each has a line
 * of its own before it. */
static void describe_absent(const struct fleet *fleet, struct error *err)
{
	struct absent *absent = mem_new(fleet->count, sizeof(*absent));
	uint32_t count = 0, lines_count;

	for (uint32_t i = 0; i < fleet->count; i++) {
		const struct fleet_host *host = &fleet->hosts[i];
		if (host->status != FLEET_STATUS_LEASED)
			absent[count++] = (struct absent){.name = host->plan->name,
							  .endpoint = host->endpoint,
							  .why = host->why ? host->why
									   : "it does not answer"};
	}
	char **lines = absent_lines(absent, count, &lines_count);
	bool is_short = lines_count == 1 && strlen(lines[0]) < ONE_LINE_MOST;
	if (is_short)
		error_set(err, ERROR_SETUP, "%u of %u hosts did not join: %s", count, fleet->count,
			  lines[0]);
	else
		error_set(err, ERROR_SETUP,
			  "%u of %u hosts did not join: who and why is said above", count,
			  fleet->count);
	for (uint32_t i = 0; i < lines_count; i++) {
		if (!is_short)
			log_error("%s", lines[i]);
		free(lines[i]);
	}
	free(lines);
	free(absent);
}

static bool has_refused(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status > FLEET_STATUS_LEASED)
			return true;
	return false;
}

/* Waits `others_ns` at most for the others when one has said no. */
static int join(struct fleet *fleet, uint64_t others_ns, const volatile int *interrupted,
		struct error *err)
{
	uint64_t began = clock_now_ns(), now = began, last = now + JOIN_NS, end = last;
	uint64_t said = began;

	/* It waits in the channel's queue until the connection stands. */
	say_hello(fleet);
	for (; is_joining(fleet) && now < end && !*interrupted; now = clock_now_ns()) {
		fleet_pump(fleet, 20);
		if (now - said >= JOIN_AGAIN_NS) {
			said = now;
			say_again(fleet);
		}
		if (end == last && now + others_ns < last && has_refused(fleet))
			end = now + others_ns;
	}
	if (fleet_alive(fleet) == fleet->count)
		return 0;
	if (*interrupted) {
		error_set(err, ERROR_SETUP, "interrupted while connecting");
		return -1;
	}
	look_at_silent(fleet, now - began);
	describe_absent(fleet, err);
	return -1;
}

int fleet_join(struct fleet *fleet, const volatile int *interrupted, struct error *err)
{
	return join(fleet, OTHERS_NS, interrupted, err);
}

int fleet_join_present(struct fleet *fleet, const volatile int *interrupted, struct error *err)
{
	return join(fleet, JOIN_NS, interrupted, err);
}

static bool all_clocks_known(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status == FLEET_STATUS_LEASED &&
		    clock_exchange_count(fleet->clocks, i) < 2 * CLOCK_BURST)
			return false;
	return true;
}

void fleet_meet_clocks(struct fleet *fleet, const volatile int *interrupted)
{
	uint64_t end = clock_now_ns() + MEET_NS;

	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_JOIN);
	while (!all_clocks_known(fleet) && clock_now_ns() < end && !*interrupted)
		fleet_pump(fleet, 10);
	clock_exchange_schedule(fleet->clocks, CLOCK_SCHEDULE_IDLE);
}

/* ---- leaving ---- */

static bool is_releasing(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status == FLEET_STATUS_LEASED && !fleet->hosts[i].is_released)
			return true;
	return false;
}

/* A lease that was asked for and not seen to be granted (Ctrl-C meanwhile) is given back as well;
 * no answer is waited for. */
static void ask_release(struct fleet *fleet)
{
	struct release body = {.kept_phase = fleet->kept_phase};

	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (!host->is_released &&
		    (host->status == FLEET_STATUS_LEASED || host->status == FLEET_STATUS_GREETED))
			fleet_send(fleet, host, MESSAGE_RELEASE, &body);
	}
}

void fleet_release(struct fleet *fleet)
{
	uint64_t asked = clock_now_ns(), end = asked + FLEET_RELEASE_NS;

	fleet_begin_phase(fleet, 0, 0);
	ask_release(fleet);
	while (is_releasing(fleet) && clock_now_ns() < end) {
		if (clock_now_ns() - asked > RELEASE_AGAIN_NS) {
			asked = clock_now_ns();
			ask_release(fleet);
		}
		fleet_pump(fleet, 20);
	}
}
