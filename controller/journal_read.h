/* journal_read.h - a run's journal, read back: phase by phase, what each host had said. */
#ifndef MUSTER_CONTROLLER_JOURNAL_READ_H
#define MUSTER_CONTROLLER_JOURNAL_READ_H

#include "common/bytes.h"
#include "common/error.h"
#include "controller/clock_samples.h"
#include "controller/journal.h"

struct journal_phase {
	struct journal_begun begun;
	uint64_t start_ns; /* 0: no host was told to start */
	bool is_ended;
	struct journal_ended ended;
	struct journal_answer *answers; /* in the order in which they came; of a host the last */
	uint32_t answers_count;
	struct journal_series *series; /* of all hosts */
	uint32_t series_count;
};

struct journal_content {
	struct journal_head *heads; /* the run's, then one for each time it was taken up again */
	uint32_t heads_count;
	struct journal_host *hosts; /* by number */
	uint32_t hosts_count;
	struct clock_record clocks;   /* by number as well; thinned (clock_samples.h) */
	struct clock_samples *taken;  /* while it is read: what `clocks` will have, by number */
	struct journal_phase *phases; /* by number of the phase */
	uint32_t phases_count;
	uint32_t newest;      /* number that was given, also to one that was run again since */
	uint64_t whole_bytes; /* what stands; behind it is at most a torn record */
};

/* Reads `<directory>/journal.bin`; -1 where there is none, or it is not one of this build, or it
 * names directories of local agents and is another user's. The content is zeroed before, and owns
 * nothing on -1. */
int journal_read(struct journal_content *content, const char *directory, struct error *err);
/* The same from memory; everything is checked. */
int journal_parse(struct journal_content *content, const unsigned char *data, size_t size,
		  struct error *err);
void journal_content_release(struct journal_content *content);
void journal_phase_release(struct journal_phase *phase);

/* The whole again as one journal, as if it had gone without interruption. */
void journal_content_pack(const struct journal_content *content, struct bytes *into);

/* The run's name and secret, for a fleet that is to go on with it. */
void journal_adopt(const struct journal_content *content, struct fleet *fleet);

/* NULL: it has none of that number. */
struct journal_phase *journal_find_phase(const struct journal_content *content, uint32_t number);
/* Whether that attempt at that phase is one that the journal has another in place of, or has seen
 * the end of: it was not measured, or belongs to a trial that was run again. */
bool journal_has_passed(const struct journal_content *content, uint32_t number, uint32_t attempt);

/* A host's answer in a phase; NULL when it has none. */
struct journal_answer *journal_answer_of(const struct journal_phase *phase, uint32_t host);
/* In place of what it had said, also of its buckets: an empty answer to fill. */
struct journal_answer *journal_answer_anew(struct journal_phase *phase, uint32_t host);

/* Trials of which every one of `phases` phases was measured on each host from its start to its end;
 * they count from the first on. */
uint32_t journal_whole_trials(const struct journal_content *content, uint32_t phases);

#endif
