/* session_door.c - who was not let in, as the administrator of this host wants to read it; each
 * kind of line at most once a second, however many knock. */
#include "agent/session_inside.h"

#include "common/hex.h"

static void tell_refusal(struct session *s, uint64_t now)
{
	struct auth_refusal refusal;
	char key[KEY_TEXT_SIZE];
	uint64_t passed;

	if (!channel_refusal(s->setup->channel, &refusal) ||
	    !(passed = log_limit_pass(&s->refused, now)))
		return;
	hex_format(key, refusal.key, KEY_SIZE);
	log_warning("a controller at %s with the public key %.16s… is not let in (%llu such): to "
		    "allow it, name its .key file under 'controllers' of agent.yaml",
		    refusal.address[0] ? refusal.address : "an unknown address", key,
		    (unsigned long long)passed);
}

/* NULL: said elsewhere, or worth nothing. */
static const char *describe(const struct session *s, enum handshake_failure failure)
{
	bool secured = s->setup->secured;

	switch (failure) {
	case HANDSHAKE_KEY:
		return "expects another key of this agent and is not let in: it has an old or a "
		       "wrong .key file of this host";
	case HANDSHAKE_MECHANISM:
		return secured ? "comes without keys (--insecure) and is not let in"
			       : "wants keys and this agent has none: give it a 'key' and "
				 "'controllers' in agent.yaml";
	case HANDSHAKE_CLOSED: /* before what it wants had come */
		return secured ? "ended the connection in the handshake: it comes without keys "
				 "(--insecure), or is no controller"
			       : "ended the connection in the handshake: it wants keys and this "
				 "agent has none, or it is no controller";
	case HANDSHAKE_NO_ZEROMQ:
		return "does not speak ZeroMQ: it is no controller";
	default:
		return NULL;
	}
}

void session_watch_door(struct session *s, uint64_t now)
{
	struct handshake handshake;
	uint64_t passed;

	tell_refusal(s, now);
	while (channel_failure(s->setup->channel, &handshake)) {
		const char *what = describe(s, handshake.failure);
		if (what && (passed = log_limit_pass(&s->failed_handshakes, now)))
			log_warning("a peer%s%s %s (%llu such)", handshake.peer[0] ? " at " : "",
				    handshake.peer, what, (unsigned long long)passed);
	}
}
