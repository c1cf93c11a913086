/* accepted.h - whether a fuzz target took its input.
 *
 * Most targets take what is right and refuse the rest. Whoever replays a corpus holds them to it:
 * what a seed is named says that it is right (replay.c). */
#ifndef MUSTER_FUZZ_ACCEPTED_H
#define MUSTER_FUZZ_ACCEPTED_H

#include <stdbool.h>

/* Set by the target where it took all of its input. */
extern bool accepted;

#endif
