/* fetch_kept.h - gets what agents have kept of a run into its journal.
 *
 * Of each phase that the journal knows and in which it misses a host's end, all that the host's
 * spool has takes the place of what the journal had of that host: the spool has it from the start
 * on, unless it broke off earlier than what had come. Of a phase that is to be learned
 * (recover_learn.h) it knows number and attempt alone; what it does not know and has nothing in
 * place of stays in the spool. A host whose file ends without `done` is lost in that phase, with
 * what it had measured. */
#ifndef MUSTER_CONTROLLER_FETCH_KEPT_H
#define MUSTER_CONTROLLER_FETCH_KEPT_H

#include "controller/fleet.h"
#include "controller/journal_read.h"

/* What came of it, host by host; what was fetched says so itself (journal_answer.collected). */
struct fetched_hosts {
	bool *is_forgettable; /* of each host: all that it keeps of the run is in the journal now */
	char **failed; /* of each host: why it could not be fetched; NULL: it was, or had none */
};

/* Who learns from the frames what no journal tells: sees each before it is taken. With `is_all`
 * there is no journal: those of the run's lease come first (`phase` NULL then), and a host that has
 * nothing of the run is one that failed. */
struct fetch_watcher {
	bool is_all;
	void (*on_frame)(void *context, uint32_t host, struct journal_phase *phase,
			 const struct message *message);
	void *context;
};

/* Asks every leased host, a few at a time, until each is through or given up (fetch_turns.h).
 * `watcher` NULL: nobody. */
void fetch_kept(struct fetched_hosts *hosts, struct fleet *fleet, struct journal_content *content,
		const struct fetch_watcher *watcher, const volatile int *interrupted);
void fetched_hosts_release(struct fetched_hosts *hosts, uint32_t count);

/* Tells the hosts to remove what they keep: it is on the controller's disk. */
void fetch_kept_forget(const struct fetched_hosts *hosts, struct fleet *fleet, const char *run);

#endif
