/* sanity_inside.h - what the files of the sanity rules share. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_SANITY_INSIDE_H
#define MUSTER_CONTROLLER_ANALYSIS_SANITY_INSIDE_H

#include "controller/result.h"

/* A phase on a target of a host, measured or only asked for. */
struct subject {
	struct result *result;
	const struct result_phase *phase; /* where findings go */
	const struct phase *asked;
	const char *host; /* NULL: any */
	uint32_t index;   /* of the host, which is the same in nearly all phases */
	const struct result_host *about;
	const char *target;
	const struct fact_storage *storage;
	uint64_t extent;
	bool is_measured;
};

/* Whether a write phase leaves a part of the device that nothing filled before. */
bool sanity_is_unfilled(const struct subject *s, const struct result_target *target);
void sanity_report_unfilled(const struct subject *first, const struct result_target *target,
			    uint32_t count);

/* Whether a phase before this one wrote to the target on the same host. */
bool sanity_was_written(const struct subject *s);
bool sanity_is_device(const struct result *result, const char *name);
void sanity_report_unwritten(const struct subject *s);

#endif
