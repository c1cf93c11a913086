/* recover_inside.h - what collecting with a run's journal and without one share. */
#ifndef MUSTER_CONTROLLER_RECOVER_INSIDE_H
#define MUSTER_CONTROLLER_RECOVER_INSIDE_H

#include "controller/fetch_kept.h"
#include "controller/journal_read.h"
#include "controller/run_inside.h"

/* Connects to the plan's hosts and leases them for the run; who is not there is told, and has its
 * reason. -1 where nobody can be asked at all. */
int recover_connect(struct run *run, struct error *err);

/* Puts the journal with all that has come into run->directory's temporary one, moving messages
 * meanwhile, then has agents forget the run. */
int recover_take_home(struct run *run, const struct journal_content *content,
		      const struct fetched_hosts *fetched, struct error *err);

/* The figures of it. */
void recover_make_result(struct run *run, const struct journal_content *content,
			 const struct fetched_hosts *fetched);

/* `muster collect --plan PLAN [RUN-ID]` (recover_spools.c). */
int recover_spools(const struct options *options);

#endif
