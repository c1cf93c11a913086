/* fetch_turns.h - when which host is asked for the next piece of what its agent keeps.
 *
 * All of them may be behind one link, and a piece may take minutes to come over it. So no more than
 * FETCH_AT_ONCE hosts are asked at one time, each for one piece; and one is asked for the same
 * piece again only when nothing at all has come from it for a while, since the answer to the first
 * question is still sent whole: 5 s, and whenever one was asked again twice as long for all, up to
 * 30 s. Who sends nothing for 60 s is given up, and who has not sent a piece whole in ten minutes.
 * No clock of its own: `now_ns` is the caller's. */
#ifndef MUSTER_CONTROLLER_FETCH_TURNS_H
#define MUSTER_CONTROLLER_FETCH_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define FETCH_AT_ONCE 8

enum fetch_turn {
	FETCH_TURN_WAIT,   /* for what was asked for, or for others to be through */
	FETCH_TURN_ASK,    /* now */
	FETCH_TURN_SILENT, /* given up: nothing came for 60 s */
	FETCH_TURN_SLOW,   /* given up: the piece is not whole after ten minutes */
};

struct fetch_turns_host {
	bool is_asked;
	uint64_t first_ns; /* when it was asked for this piece */
	uint64_t asked_ns; /* when for the last time */
	uint64_t heard_ns; /* when something came, or first_ns */
};

struct fetch_turns {
	struct fetch_turns_host *hosts; /* by number */
	uint32_t asked;                 /* how many are */
	uint64_t again_ns; /* how long nothing is to come from one until it is asked again */
};

void fetch_turns_init(struct fetch_turns *turns, uint32_t hosts);
void fetch_turns_release(struct fetch_turns *turns);

/* Of a host that still has something to give. */
enum fetch_turn fetch_turns_next(const struct fetch_turns *turns, uint32_t host, uint64_t now_ns);

void fetch_turns_ask(struct fetch_turns *turns, uint32_t host, uint64_t now_ns);
/* Something of what it keeps has come. */
void fetch_turns_hear(struct fetch_turns *turns, uint32_t host, uint64_t now_ns);
/* The piece is there, or is not wanted any more; fine where none was asked for. */
void fetch_turns_end(struct fetch_turns *turns, uint32_t host);

#endif
