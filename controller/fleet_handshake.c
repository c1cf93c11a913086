/* fleet_handshake.c - hosts that cannot be spoken to because of keys: said once, and not tried
 * again, where ZeroMQ by itself would try for ever without a word. */
#include "controller/fleet_inside.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/memory.h"

/* An agent that ends or a network that breaks in a handshake looks like a wrong key: so long it has
 * to get through after all. */
#define CLOSED_NS NS_PER_S

static char *describe_refused(const struct keyring_host *keys)
{
	char text[KEY_TEXT_SIZE];

	hex_format(text, keys->own->public, KEY_SIZE);
	return mem_format(
		"its agent does not let this controller in (public key %.16s…): name that "
		".key file under 'controllers' of its agent.yaml and start it again",
		text);
}

/* What is to be done for keys where there are none: on the loopback nobody typed --insecure. */
static const char *way_to_keys(const struct keyring_host *keys)
{
	return keys->insecure ? "leave --insecure away and name this controller's key, with --key "
				"or fleet.key"
			      : "on the loopback they are used where the plan says so: give its "
				"entry of fleet.agents a `key`, the agent's public one, and this "
				"controller its own, with --key or fleet.key";
}

static char *describe_closed(const struct keyring_host *keys)
{
	if (!keys->secured)
		return mem_format("it ends each connection in the handshake: it asks for keys, or "
				  "is no agent; to use keys, %s",
				  way_to_keys(keys));
	return mem_format(
		"its agent does not have the key that is expected of it ('%s'): that file "
		"is of another host, or the host has got a new key since; take its .key "
		"file anew, by a way that you trust",
		keys->path ? keys->path : "a one-time key");
}

static char *describe(const struct keyring_host *keys, enum handshake_failure failure)
{
	if (failure == HANDSHAKE_REFUSED)
		return describe_refused(keys);
	if (failure == HANDSHAKE_CLOSED || failure == HANDSHAKE_KEY)
		return describe_closed(keys);
	if (failure == HANDSHAKE_MECHANISM && keys->secured)
		return mem_text("its agent speaks without keys, and this controller with: give the "
				"agent a 'key' and 'controllers', or speak without them: type "
				"--insecure here as there, or, on the loopback, leave the `key` of "
				"its entry of fleet.agents away");
	if (failure == HANDSHAKE_MECHANISM)
		return mem_format("its agent asks for keys, and this controller uses none with it: "
				  "to use keys, %s",
				  way_to_keys(keys));
	return mem_text("what listens there does not speak ZeroMQ: it is no agent");
}

static struct fleet_host *host_at(struct fleet *fleet, const char *address)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (strcmp(fleet->hosts[i].reach.endpoint, address) == 0 &&
		    fleet->hosts[i].status <= FLEET_STATUS_LEASED)
			return &fleet->hosts[i];
	return NULL;
}

static void give_up(struct fleet *fleet, struct fleet_host *host, enum handshake_failure failure)
{
	char *why = describe(host->keys, failure);

	if (host->status == FLEET_STATUS_LEASED) {
		fleet_lose(fleet, host, why);
	} else {
		fleet_end_with(host, FLEET_STATUS_REFUSED, why);
		channel_disconnect(fleet->channel, host->reach.endpoint, &host->peer);
	}
	free(why);
}

/* Joining hosts alone: of one that was leased its silence tells. */
static void watch_closed(struct fleet *fleet)
{
	uint64_t now = clock_now_ns();

	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (host->closed_ns && host->status < FLEET_STATUS_LEASED &&
		    host->heard_ns < host->closed_ns && now - host->closed_ns > CLOSED_NS)
			give_up(fleet, host, HANDSHAKE_CLOSED);
	}
}

void fleet_watch_handshakes(struct fleet *fleet)
{
	struct handshake handshake;

	while (channel_failure(fleet->channel, &handshake)) {
		struct fleet_host *host = host_at(fleet, handshake.peer);
		if (!host || handshake.failure == HANDSHAKE_TOO_SLOW)
			continue; /* who is merely slow is known by its silence */
		if (handshake.failure == HANDSHAKE_REFUSED ||
		    handshake.failure == HANDSHAKE_MECHANISM ||
		    handshake.failure == HANDSHAKE_NO_ZEROMQ)
			give_up(fleet, host, handshake.failure);
		else if (!host->closed_ns)
			host->closed_ns = clock_now_ns();
	}
	watch_closed(fleet);
}
