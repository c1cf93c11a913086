/* layers.h - phases held against each other: what a layer costs, and what its parts share.
 *
 * SHARED_LIMIT: members run together against the sum of each alone, under 0.8 WARN, under 0.95
 * NOTE. STRIPE_LOSS: a target with `stripe` or `members` against its parts run together, or where
 * no phase does that against the sum of each alone; the same limits. READ_SLOWER_THAN_WRITE: a
 * sequential read under 0.8 of the sequential write on the same targets. SLOW_MEMBER,
 * MEMBER_SPREAD: of three members or more of a target, one under 0.8, or 0.9, of the median of the
 * others.
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

/* The fleet, in place of a host's index. */
#define LAYERS_FLEET UINT32_MAX

/* Rate of a phase on a target with parts over that of the parts, as STRIPE_LOSS compares them; of
 * one host by index, or LAYERS_FLEET. NAN: it has no parts, or they were not measured alike. */
double layers_efficiency(const struct result *result, const struct result_phase *phase,
			 uint32_t host);

/* Adds findings for all phases; runs after what finds them INVALID. */
void layers_check(struct result *result);

#endif
