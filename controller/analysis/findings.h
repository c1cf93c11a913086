/* findings.h - named facts about a result, with their evidence.
 *
 * Levels: INVALID breaks the measurement, WARN qualifies it, NOTE tells what a reader should know,
 * REFUSE belongs to a run that an agent said no to. Codes, rules and sources are those of
 * catalogue.h. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_FINDINGS_H

#include "controller/result.h"

/* Adds a finding; texts are copied, each may be NULL but code and evidence. Level and advice that
 * are NULL are those of the catalogue; an empty advice is none. The finding may move when another
 * is added. */
struct result_finding *findings_add(struct result *result, const char *code, const char *level,
				    const struct result_phase *phase, const char *host,
				    const char *target, const char *advice, const char *evidence,
				    ...) __attribute__((format(printf, 8, 9)));

/* Adds a figure to the evidence; `name` has the unit in it, and stands once in a finding. */
void findings_figure(struct result_finding *finding, const char *name, double value);

/* Looks through the phases (after window_compute and devices_merge) and adds what it finds: first
 * what became of the hosts, then the windows, then targets and devices. */
void findings_compute(struct result *result, const struct result_series *series);

/* Whether it is of that trial of the phase, or of the whole run but for sweeps. */
bool findings_is_in(const struct result_finding *finding, const struct result_phase *phase);

/* The first finding that makes figures of the phase INVALID: of this target of this host; target
 * NULL: of any of the host; host NULL too: of the whole fleet at once. NULL: they stand. */
const struct result_finding *findings_against(const struct result *result,
					      const struct result_phase *phase, const char *host,
					      const char *target);

/* Where a finding belongs, "phase 'read', trial 2, host 'a', target 't'"; "the run" when nowhere
 * in particular. The caller's to free. */
char *findings_place(const struct result_finding *finding);

#endif
