/* disruption_watch.h - a thread that looks at this host's clocks a hundred times a second and
 * notes what happened to them, for the session thread to announce. */
#ifndef MUSTER_AGENT_DISRUPTION_WATCH_H
#define MUSTER_AGENT_DISRUPTION_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "proto/messages.h"

/* So many wait to be taken; further ones are counted. */
#define DISRUPTION_WATCH_MOST 64

struct disruption_watch;

/* Watches from now on; NULL with err when no thread can be had. */
struct disruption_watch *disruption_watch_new(struct error *err);
/* Takes one look's time at most. NULL is fine. */
void disruption_watch_free(struct disruption_watch *watch);

/* The oldest that was not taken; false: there is none. */
bool disruption_watch_take(struct disruption_watch *watch, struct disruption *out);
/* How many did not fit. */
uint64_t disruption_watch_lost(struct disruption_watch *watch);

#endif
