/* layout.h - what must be written before a phase reads, so that no hole is ever measured.
 *
 * Every byte of [0, used) of a file that muster has not written is written with real data, 1 MiB
 * at a time, direct where possible, synced at the end; a thread for each file. Only files: devices
 * are never laid out. While it runs it needs only its parts and `cancel`, so that one whose I/O is
 * stuck can be left behind. */
#ifndef MUSTER_AGENT_LAYOUT_H
#define MUSTER_AGENT_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/part.h"
#include "agent/written.h"
#include "common/error.h"
#include "proto/messages.h"

struct layout_file;

struct layout {
	struct layout_file *files;
	uint32_t count;
	const atomic_bool *cancel;
	atomic_bool is_running;
};

/* What the data are made of; `host` is lent. */
struct layout_data {
	uint64_t seed;
	const char *host;
	struct pattern_shape shape;
};

/* How many files have to be laid out before the phase: a thread and a piece of data each. */
uint32_t layout_files(struct part *const *parts, uint32_t count, const struct written *written,
		      const struct phase *phase);

/* Decides what there is to write of the `count` parts, which are lent. */
void layout_init(struct layout *layout, struct part *const *parts, uint32_t count,
		 const struct written *written, const struct layout_data *data,
		 const atomic_bool *cancel);
void layout_release(struct layout *layout);

/* Whether there is anything to write. */
bool layout_is_needed(const struct layout *layout);

/* Writes it; waits for all files. `*target`: the first that failed. */
int layout_run(struct layout *layout, const char **target, struct error *err);

/* After layout_run, also a failed one: remembers what is written now. */
void layout_record(const struct layout *layout, struct written *written);

/* For another thread, while it runs: see phase_run_progress. */
bool layout_progress(const struct layout *layout, struct progress *progress, uint64_t *moved_ns);

#endif
