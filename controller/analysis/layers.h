/* layers.h - phases held against each other: what a layer costs, and what its parts share.
 *
 * SHARED_LIMIT: members run together against the sum of each alone, under 0.8 WARN, under 0.95
 * NOTE. STRIPE_LOSS: a target with `stripe` or `members` against its parts run together, or where
 * no phase does that against the sum of each alone; the same limits. READ_SLOWER_THAN_WRITE: a
 * sequential read under 0.8 of the sequential write on the same targets.
 *
 * Only phases of one trial that ask for the same (operation, access, block size, workers, depth; of
 * a stripe the workers may differ), are sound and lasted 10 s are compared. A fleet that is a
 * WARN is one finding; where it is not, each host that is one by itself is named instead. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_LAYERS_H
#define MUSTER_CONTROLLER_ANALYSIS_LAYERS_H

#include "controller/result.h"

#define LAYERS_WARN_BELOW 0.80
#define LAYERS_NOTE_BELOW 0.95
#define LAYERS_READ_LEAST 0.80 /* of the write */

/* WARN, NOTE, or NULL for a share that is fine or NAN. */
const char *layers_level(double share);

/* Adds findings for all phases; runs after what finds them INVALID. */
void layers_check(struct result *result);

#endif
