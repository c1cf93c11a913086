/* host_findings.h - what became of the hosts in each phase, and what they say themselves. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_HOST_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_HOST_FINDINGS_H

#include "controller/result.h"

/* HOST_LOST, HOST_REFUSED, HOST_BROKEN, HOST_STOPPED; HOST_FROZEN and LATE_HEARTBEAT. */
void host_findings_compute(struct result *result);

/* AGENT_NOTE and INSECURE, which say nothing of figures and so stand behind all others. */
void host_findings_told(struct result *result);

#endif
