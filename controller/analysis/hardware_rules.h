/* hardware_rules.h - what is wrong with storage whatever is measured on it: MISALIGNED_STRIPE,
 * MISALIGNED_4K, STRIPE_GEOMETRY_MISMATCH, of what is known of all hosts and of each. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_HARDWARE_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_HARDWARE_RULES_H

#include "controller/result.h"

void hardware_rules_check(struct result *result);

#endif
