/* sanity_rules.h - what makes a figure doubtful before it is measured, from the plan and what is
 * known of hosts and storage.
 *
 * FILE_SMALLER_THAN_RAM: a buffered phase, or one whose share of device bytes is unknown, on less
 * than twice the host's memory. STEADY_STATE_NOT_SHOWN: a write phase that wrote less than the
 * device holds, and none before it did. COMPRESSED_TEST_FILE, FITS_IN_ARC, COMPRESSIBLE_PATTERN,
 * LOW_ENTROPY_PATTERN: what is read or written is less than it looks.
 * BLOCK_NOT_MULTIPLE_OF_LBA, SUB_PHYSICAL_BLOCK, MISALIGNED_STRIPE, MISALIGNED_4K,
 * STRIPE_GEOMETRY_MISMATCH: blocks and borders that do not fit. INSUFFICIENT_SPACE,
 * INSUFFICIENT_INODES: files that will not fit. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_SANITY_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_SANITY_RULES_H

#include "controller/result.h"

#define SANITY_RAM_LEAST 2 /* times the memory */

/* Of everything that was measured. */
void sanity_rules_check(struct result *result);

/* Of phases as they are asked for, on result->hosts, with nothing measured: those of the plan that
 * are not among result->phases. */
void sanity_rules_check_plan(struct result *result);

#endif
