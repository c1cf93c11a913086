/* findings.h - named facts about a result, with their evidence.
 *
 * Levels: INVALID breaks the measurement, WARN qualifies it, NOTE tells what a reader should know,
 * REFUSE belongs to a run that an agent said no to. The rules are those of docs/DESIGN.md,
 * "Findings". */
#ifndef MUSTER_CONTROLLER_ANALYSIS_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_FINDINGS_H

#include "controller/result.h"

/* Adds a finding; texts are copied, each may be NULL but code, level and evidence. */
void findings_add(struct result *result, const char *code, const char *level,
		  const struct result_phase *phase, const char *host, const char *target,
		  const char *advice, const char *evidence, ...)
	__attribute__((format(printf, 8, 9)));

/* Looks through the phases (after window_compute and devices_merge) and adds what it finds: first
 * what became of the hosts, then the windows, then targets and devices. */
void findings_compute(struct result *result, const struct result_series *series);

/* Where a finding belongs, "phase 'read', trial 2, host 'a', target 't'"; "the run" when nowhere
 * in particular. The caller's to free. */
char *findings_place(const struct result_finding *finding);

#endif
