#include "controller/fetch_turns.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"

#define AGAIN_FIRST_NS (5 * NS_PER_S)
#define AGAIN_MOST_NS  (30 * NS_PER_S)
#define SILENT_NS      (60 * NS_PER_S)
#define SLOW_NS        (600 * NS_PER_S)

void fetch_turns_init(struct fetch_turns *turns, uint32_t hosts)
{
	*turns = (struct fetch_turns){.hosts = mem_new(hosts, sizeof(*turns->hosts)),
				      .again_ns = AGAIN_FIRST_NS};
}

void fetch_turns_release(struct fetch_turns *turns)
{
	free(turns->hosts);
	*turns = (struct fetch_turns){0};
}

enum fetch_turn fetch_turns_next(const struct fetch_turns *turns, uint32_t host, uint64_t now_ns)
{
	const struct fetch_turns_host *turn = &turns->hosts[host];

	if (!turn->is_asked)
		return turns->asked < FETCH_AT_ONCE ? FETCH_TURN_ASK : FETCH_TURN_WAIT;
	if (now_ns - turn->heard_ns >= SILENT_NS)
		return FETCH_TURN_SILENT;
	if (now_ns - turn->first_ns >= SLOW_NS)
		return FETCH_TURN_SLOW;
	uint64_t quiet_since = turn->heard_ns > turn->asked_ns ? turn->heard_ns : turn->asked_ns;
	return now_ns - quiet_since >= turns->again_ns ? FETCH_TURN_ASK : FETCH_TURN_WAIT;
}

void fetch_turns_ask(struct fetch_turns *turns, uint32_t host, uint64_t now_ns)
{
	struct fetch_turns_host *turn = &turns->hosts[host];

	turn->asked_ns = now_ns;
	if (turn->is_asked) {
		turns->again_ns *= 2;
		if (turns->again_ns > AGAIN_MOST_NS)
			turns->again_ns = AGAIN_MOST_NS;
		return;
	}
	turn->is_asked = true;
	turn->first_ns = turn->heard_ns = now_ns;
	turns->asked++;
}

void fetch_turns_hear(struct fetch_turns *turns, uint32_t host, uint64_t now_ns)
{
	turns->hosts[host].heard_ns = now_ns;
}

void fetch_turns_end(struct fetch_turns *turns, uint32_t host)
{
	if (turns->hosts[host].is_asked)
		turns->asked--;
	turns->hosts[host].is_asked = false;
}
