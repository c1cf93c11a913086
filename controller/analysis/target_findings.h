/* target_findings.h - what each target did beside what it was asked for: errors, miscompares,
 * memory in place of a device, devices that moved more or less than the engine. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_TARGET_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_TARGET_FINDINGS_H

#include "controller/result.h"

void target_findings_compute(struct result *result, const struct result_phase *phase);

#endif
