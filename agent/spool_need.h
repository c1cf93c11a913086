/* spool_need.h - how much of the spool the results of a phase may take, before it begins. */
#ifndef MUSTER_AGENT_SPOOL_NEED_H
#define MUSTER_AGENT_SPOOL_NEED_H

#include <stdint.h>

#include "proto/messages.h"

/* The most bytes that the phase's records have together: for each target each bucket once, and two
 * more for each harvest, in which a bucket is only half over; and what is said once. A phase by
 * size alone has no length: of it, what is said once and an hour. */
uint64_t spool_need(const struct prepare *prepare);

#endif
