/* replay.h - figures out of a journal: the phases go through collect.h once more, as they did, or
 * would have done, in the run. */
#ifndef MUSTER_CONTROLLER_REPLAY_H
#define MUSTER_CONTROLLER_REPLAY_H

#include "controller/collect.h"
#include "controller/journal_read.h"
#include "controller/plan.h"

/* Whether the journal is of this plan: its hosts and phases. */
int replay_check(const struct journal_content *content, const struct plan *plan,
		 const struct plan_hosts *hosts, struct error *err);

/* A fleet of the journal's hosts, connected to nobody: names, keys, facts, clocks. All are lent. */
void replay_fleet(struct fleet *fleet, const struct journal_content *content,
		  const struct plan_hosts *hosts, const struct keyring *keyring);
void replay_fleet_release(struct fleet *fleet);

/* Adds the phases of trials up to `trials` to collect->result. A host that said nothing of a phase
 * in which others did is lost in it. */
void replay_phases(struct collect *collect, struct fleet *fleet,
		   const struct journal_content *content, const struct plan *plan, uint32_t trials);

#endif
