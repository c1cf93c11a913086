/* layers_inside.h - what the files of the layers share. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_LAYERS_INSIDE_H
#define MUSTER_CONTROLLER_ANALYSIS_LAYERS_INSIDE_H

#include "controller/result.h"

/* What was asked for and what came of it. */
struct measured {
	const struct phase *asked;
	const struct result_phase *got;
	bool is_sound;
};

struct trial {
	struct measured *phases;
	uint32_t count;
};

/* Each part by itself. */
struct parts {
	const struct measured **alone;
	const struct name *names;
	uint32_t count;
};

/* Each of the names by itself, in phases that ask for what `like` does, and as deeply. False, and
 * nothing to free: one was not measured. `alone` is the caller's to free. */
bool layers_parts_find(struct parts *parts, const struct trial *trial, const struct phase *like,
		       bool as_deep, const struct name *names, uint32_t count);

/* Whether the phase is on just these targets. */
bool layers_is_on(const struct phase *phase, const struct name *names, uint32_t count);

/* Whether both have as many I/Os in flight. */
bool layers_are_as_deep(const struct phase *a, const struct phase *b);

/* READ_SLOWER_THAN_WRITE and PHASE_VOLUME_MISMATCH of a read in a trial (layers_reads.c). */
void layers_read_check(struct result *result, const struct trial *trial,
		       const struct measured *read);
void layers_volumes_check(struct result *result, const struct trial *trial,
			  const struct measured *read);

/* SLOW_MEMBER and MEMBER_SPREAD in a trial (layers_members.c). */
void layers_members_check(struct result *result, const struct trial *trial);

/* The rate of one target of a host in a phase; NAN: it has none of that name. */
double layers_target_rate(const struct result_phase_host *host, const char *target);

#endif
