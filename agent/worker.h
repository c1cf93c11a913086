/* worker.h - the load of one worker on one target: next offset, submit, reap, count.
 *
 * A straight loop: no lock, no allocation, and no system call but the I/O. Its memory is its own
 * until it is joined, but for the timeline (buckets.h), which the session thread collects, the
 * what is outstanding (outstanding.h), and the flag that stops it. */
#ifndef MUSTER_AGENT_WORKER_H
#define MUSTER_AGENT_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/buckets.h"
#include "agent/buffers.h"
#include "agent/engine/engine.h"
#include "agent/failures.h"
#include "agent/offsets.h"
#include "agent/pace.h"
#include "agent/outstanding.h"
#include "agent/phase_targets.h"
#include "agent/request.h"
#include "agent/verify.h"
#include "common/error.h"
#include "common/histogram.h"

/* After so many errors in a row a worker gives up. */
#define WORKER_ERRORS_IN_A_ROW 100

struct worker_setup {
	const struct phase *phase;
	const struct load_target *target;
	uint32_t index;      /* of phase->workers */
	const char *host;    /* for the data */
	uint64_t seed;       /* for the data */
	uint64_t order;      /* for random offsets: another for each phase, host and target */
	uint64_t generation; /* of the first pass */
	uint64_t bucket_ns;
	uint32_t ramp_buckets;
	uint64_t io_timeout_ns;        /* a request outstanding for longer is stuck */
	const struct written *written; /* for what is read; does not change while they run */
	struct evidence *evidence;     /* likewise; the crew's */
	/* The workers of a host stop each other through it: a full disk stops the phase. */
	atomic_bool *stop;
};

struct tally {
	uint64_t bytes_read, bytes_written;
	uint64_t operations; /* that moved bytes */
	uint64_t errors;     /* that moved nothing or not all */
};

enum worker_end {
	WORKER_END_DONE,     /* its time or amount is over, or it was stopped */
	WORKER_END_NO_SPACE, /* it stopped the others */
	WORKER_END_GAVE_UP,  /* WORKER_ERRORS_IN_A_ROW */
	WORKER_END_OVERRUN,  /* nobody collected its timeline */
};

/* The first operation that failed. */
struct worker_error {
	enum io_kind kind;
	int number; /* errno; 0: short */
	uint32_t part;
	uint64_t offset, length, moved_bytes, completed_ns; /* 0: there was none */
};

struct worker {
	struct worker_setup setup;
	struct offsets offsets;
	struct pace pace;
	const struct engine_ops *ops; /* of the target's engine */
	struct engine *engine;
	struct request *requests, **idle; /* depth each */
	uint32_t depth, idle_count;
	struct io **batch, **back;        /* room for all I/Os of all requests */
	uint32_t ios_count;               /* of all requests */
	uint32_t batch_count, batch_sent; /* lent to the engine so far */
	uint32_t in_flight;               /* I/Os */
	bool is_one;                      /* each request is one I/O, on one part */
	bool drains;                      /* all comes back between two passes */
	bool counts_more;                 /* than the latency: response, or sizes of a mix */
	bool verifies;
	uint64_t until_sync; /* writes; 0: it is due */
	uint64_t synced;     /* requests before the last sync that succeeded */
	void *memory;        /* of the requests' I/Os and vectors */
	struct buffers buffers;
	struct pattern_key *keys; /* of the data, one a part */
	uint64_t key_generation;
	const struct clock_map *map;
	uint64_t end_ns, now_ns;
	struct tally *tally; /* of the bucket that is added to */
	bool finished;       /* submits no more */
	uint32_t errors_in_a_row;

	/* the outcome */
	enum worker_end end;
	struct tally ramp, after;
	struct tally sizes[PHASE_MIX_MOST]; /* of `after`, by size of a mix; no errors */
	uint64_t submitted;                 /* requests */
	uint64_t completed;                 /* requests that moved all their bytes */
	uint64_t intact; /* requests before the first that did not; UINT64_MAX: all */
	uint64_t first_submit_ns, last_completion_ns; /* 0: none */
	struct worker_error error;
	struct histogram latency;   /* of `after`: submit to completion */
	struct histogram *response; /* due to completion; NULL: the phase has no rate */
	struct histogram *syncs;    /* of those after sync_every writes; NULL: there are none */
	struct verify verify;       /* where the phase verifies */
	struct failures failures;

	struct buckets buckets;
	_Alignas(CACHE_LINE) struct outstanding outstanding;
};

/* Allocates all that the load needs and opens the engine; NULL with err. */
struct worker *worker_new(const struct worker_setup *setup, struct error *err);
void worker_free(struct worker *worker);

/* Before the start, in the thread that will run it, where it will run: touches its buffers, fills
 * the first requests, so that at the start they only go out. */
void worker_ready(struct worker *worker);
/* There is no start: they never were. */
void worker_cancel(struct worker *worker);

/* The map's start has come: submits them. The map is lent until the worker is freed. */
void worker_start(struct worker *worker, const struct clock_map *map);
/* The load after that; drains before it returns. */
void worker_run(struct worker *worker);

/* After the load: whole passes over the region; 0 for random access without full coverage. */
uint64_t worker_passes(const struct worker *worker);

/* After the load: how many of its requests, from the first on and without a gap, surely moved
 * their block. */
uint64_t worker_written_blocks(const struct worker *worker);

#endif
