/* messages.h - everything that controller and agent say to each other.
 *
 * A frame is a msgpack array [kind, lease, phase, attempt, body]: the kind by name, the lease's
 * token, the number of the phase (from 1, 0: none), which attempt at it this is, and the body,
 * packed by position (record_msgpack.h). `hello` and `refuse` have an own fixed form for ever
 * (codec.h). Times are ns of the agent's clock_now_ns() unless said. */
#ifndef MUSTER_PROTO_MESSAGES_H
#define MUSTER_PROTO_MESSAGES_H

#include "common/record.h"
#include "proto/io_error.h"
#include "proto/miscompare.h"
#include "proto/phase.h"

enum message_kind {
	MESSAGE_HELLO,      /* c->a, a->c  who are you, what do you speak */
	MESSAGE_REFUSE,     /* a->c  not with you: other build, or the agent is taken */
	MESSAGE_LEASE,      /* c->a  be mine */
	MESSAGE_LEASED,     /* a->c  I am; what I am */
	MESSAGE_PREPARE,    /* c->a  check, make and lay out the targets of a phase */
	MESSAGE_PROGRESS,   /* a->c  how far the lay-out is */
	MESSAGE_READY,      /* a->c  prepared, workers parked at the barrier */
	MESSAGE_FAILED,     /* a->c  not prepared, and why */
	MESSAGE_START,      /* c->a  go at that instant */
	MESSAGE_LATE,       /* a->c  that instant had passed: nothing was started */
	MESSAGE_TIMELINE,   /* a->c  what was done in each bucket since the last batch */
	MESSAGE_DONE,       /* a->c  the phase is over here: totals, histograms, counters */
	MESSAGE_ACK,        /* c->a  timeline and done up to that number have arrived */
	MESSAGE_ABORT,      /* c->a  stop the load now */
	MESSAGE_RELEASE,    /* c->a  remove what you made, be free */
	MESSAGE_RELEASED,   /* a->c  what was removed and what could not be */
	MESSAGE_HEARTBEAT,  /* both  I am alive */
	MESSAGE_PROBE,      /* c->a  clock exchange: my t1 */
	MESSAGE_PROBED,     /* a->c  t1 back, t2 and t3 of the agent */
	MESSAGE_AMEND,      /* c->a  borders of buckets have moved */
	MESSAGE_AMENDED,    /* a->c  taken or not */
	MESSAGE_DISRUPTION, /* a->c  something happened to my clock */
	MESSAGE_FETCH,      /* c->a  send me what you have kept of a run */
	MESSAGE_FETCHED,    /* a->c  that was it, as far as it goes */
	MESSAGE_FORGET,     /* c->a  I have all of that run: remove it */
	MESSAGE_STUCK,      /* a->c  a request has been outstanding for longer than io_timeout */
	MESSAGE_KINDS,
};

/* Fixed for ever: rows are never added, taken out or moved. */
struct hello {
	char *version;     /* program version, for people */
	char *fingerprint; /* of all other tables, 16 hex digits */
	char *host;        /* of the sender, for people */
	char *program;     /* "muster" or "muster-agent" */
};
struct refuse {
	char *version;
	char *fingerprint;
	char *host;
	char *reason; /* one sentence */
};

struct lease {
	char *holder;           /* who asks, for people: user@host pid N */
	char *run;              /* id of the run */
	char *owner;            /* its secret (run_id.h); in a spool, the digest of it */
	char *host;             /* what the plan calls this host */
	uint64_t dead_after_ns; /* silence after which each side acts alone */
	char *clock_key;        /* of the clock datagrams: 64 hex digits */
	uint64_t clock_session; /* that they carry */
};
/* What the agent's spool has of a phase that no controller has said to have on its own disk. */
struct kept_phase {
	uint32_t number, attempt;
	uint64_t bytes;
};
struct kept_run {
	char *run;    /* its id */
	char *holder; /* whose lease it was */
	char *owner;  /* digest of the run's secret (run_id.h); empty: not known, it is anybody's */
	char *since;  /* UTC, for people: nothing was added after */
	uint64_t bytes;
	struct kept_phase *phases; /* in order */
	uint32_t phases_count;
};
struct leased {
	char *system; /* Linux, FreeBSD, SunOS */
	char *kernel;
	char *hostname;
	char *boot_id; /* one running kernel; two agents with the same share their devices */
	uint32_t cpus;
	uint64_t memory_bytes;
	uint64_t uptime_s;
	char *container;                /* docker, podman, jail, zone, ...; "" none */
	uint64_t memory_limit_bytes;    /* of the container or control group; 0: none */
	uint32_t cpu_limit_thousandths; /* likewise */
	char *io_limit;                 /* for people; "": none */
	bool insecure;
	struct kept_run *kept; /* the lease's own, then oldest first */
	uint32_t kept_count;
	uint32_t kept_more; /* runs beside these: a frame has an end */
	struct name *left;  /* files that muster made earlier and could not remove */
	uint32_t left_count;
	uint32_t left_more; /* files beside these */
};

struct prepare {
	char *run;
	uint64_t seed;   /* of the data */
	uint32_t number; /* of the phase in the run, over all trials: orders random offsets anew */
	uint32_t trial;  /* 0: only looked at */
	uint32_t plan_crc;      /* of plan.yaml's bytes (framed_crc) */
	uint64_t run_start_ns;  /* controller's clock; wraps as journal_head's does */
	uint64_t bucket_ns;     /* width of a timeline bucket */
	uint32_t kept_phase;    /* the controller has the phases up to it on its disk; 0: none */
	uint64_t io_timeout_ns; /* a request outstanding for longer is stuck */
	bool check;             /* say whether it could be run; change nothing */
	struct phase phase;     /* size_bytes resolved */
	struct target *targets; /* all of this host's, so that stripes find their parts */
	uint32_t targets_count;
};
struct progress {
	char *target;
	uint64_t done_bytes, total_bytes;
};
struct stuck {
	char *target;
	uint64_t offset;    /* in the target; UINT64_MAX: it is an fsync */
	uint64_t waited_ns; /* so far */
	char *text;         /* for people */
};

/* What a target turned out to be. */
enum target_io { TARGET_IO_DIRECT, TARGET_IO_WRITTEN_THROUGH, TARGET_IO_BUFFERED, TARGET_IO_NONE };
struct ready_target {
	char *target;
	uint64_t extent_bytes;    /* that the phase may touch */
	uint64_t alignment_bytes; /* of offset and length; 0: unknown */
	enum target_io io;
	bool ram;         /* held in memory */
	bool no_topology; /* the system says nothing of the device that it is on */
	char *engine;
	char *engine_reason; /* why that one */
	char *file_system;   /* type; NULL for a device and null */
};
/* A file or device that the phase uses, and what becomes of it; only where a check asks. */
struct ready_place {
	char *target; /* of which it is; a stripe's parts are targets of their own */
	char *path;
	bool is_device;
	bool is_made;          /* the file is not there and would be made */
	uint64_t bytes;        /* [0, bytes) is what the phase may touch */
	uint64_t layout_bytes; /* of these what is written first, unless a phase before has */
	char *identity;        /* of a device; NULL: it has none */
	char *data;            /* on a device that is written to; NULL: nothing known */
};
struct ready {
	struct ready_target *targets;
	uint32_t targets_count;
	struct ready_place *places;
	uint32_t places_count;
	struct name *notes; /* warnings for the report, a sentence each */
	uint32_t notes_count;
	uint64_t buffer_bytes; /* memory that the agent holds for this phase */
	uint64_t spool_bytes;  /* the most that its results may take of the spool */
};

enum failed_kind { FAILED_REFUSED, FAILED_BROKEN };
struct failed {
	enum failed_kind kind;
	char *code;   /* NULL: none of its own */
	char *target; /* NULL: none in particular */
	char *text;
};

struct start {
	uint64_t at_ns;         /* agent's clock: bucket 0 begins */
	uint64_t end_ns;        /* agent's clock: a timed phase ends; 0: it has no such end */
	int64_t drift_ppb;      /* of the agent's clock against the controller's: bucket k begins at
				   at_ns + k*bucket_ns + k*bucket_ns*drift_ppb/10^9 */
	uint64_t controller_ns; /* the same instant on the controller's clock */
	uint64_t bound_ns;      /* at_ns is within +- this; 0: unknown */
};
/* The estimate has moved: from bucket `bucket` on (0: the start itself, before it) these hold. */
struct amend {
	uint32_t bucket;
	uint64_t at_ns;  /* agent's clock: that bucket begins */
	uint64_t end_ns; /* as in start */
	int64_t drift_ppb;
	uint32_t number; /* of the amends to this host in this attempt, from 1 */
};
struct amended {
	uint32_t number; /* of the amend */
	bool taken; /* false: it came too late, or moved a border by more than a quarter of a bucket
		     */
};

enum disruption_kind {
	DISRUPTION_GAP,       /* a thread that wakes each ms did not for over 20 ms */
	DISRUPTION_SUSPEND,   /* the host slept */
	DISRUPTION_STEP,      /* its wall clock was set */
	DISRUPTION_FREQUENCY, /* its clock runs at another rate now */
};
/* Something happened to the agent's clock, or to the agent itself. */
struct disruption {
	enum disruption_kind kind;
	uint64_t from_ns, to_ns; /* agent's clock: it happened in between */
	int64_t amount_ns;       /* how long, or how far */
};
struct late {
	uint64_t at_ns, now_ns;
};

/* What was completed in one bucket on one target since the last batch: numbers to add. */
struct timeline_bucket {
	uint32_t target; /* index into the phase's targets */
	uint32_t bucket; /* bucket k covers [start + k*bucket_ns, start + (k+1)*bucket_ns) */
	uint64_t bytes_read, bytes_written;
	uint64_t operations, errors;
	uint64_t worst_ns; /* latency; the maximum counts, not the sum */
};
struct timeline {
	uint64_t sequence; /* from 1, shared with done */
	struct timeline_bucket *buckets;
	uint32_t buckets_count;
};

struct histogram_bin {
	uint32_t index;
	uint64_t count;
};
/* Latencies beside those from submit to completion. */
struct done_latency {
	uint64_t max_ns;
	struct histogram_bin *bins;
	uint32_t bins_count;
};
struct done_target {
	char *target;
	uint64_t bytes_read, bytes_written; /* counted apart from the buckets, without ramp */
	uint64_t ramp_bytes_read, ramp_bytes_written; /* in the ramp */
	uint64_t operations, errors; /* without ramp; operations: that moved bytes */
	uint64_t ramp_operations, ramp_errors;
	uint32_t passes;      /* whole passes of the slowest worker over its region */
	uint64_t first_io_ns; /* first submit; 0: none */
	uint64_t last_io_ns;  /* last completion; 0: none */
	uint64_t sync_ns;     /* time of the fsync at the end */
	uint64_t max_latency_ns;
	struct histogram_bin *latency; /* without ramp */
	uint32_t latency_count;
	struct done_latency *response; /* of a phase with a rate; else NULL */
	struct done_latency *syncs;    /* after sync_every writes each; NULL: none were asked for */
	struct done_size *sizes;       /* of a mix of block sizes */
	uint32_t sizes_count;
	struct io_error *io_errors;
	uint32_t io_errors_count;
	char *first_error; /* a sentence with offset; NULL: none */
	struct miscompares miscompares;
};
struct done_device {
	char *device; /* kernel's name: sda, loop3 */
	char *under;  /* the device above it whose bytes these are too; NULL: a top one */
	struct name *targets;
	uint32_t targets_count;
	uint64_t read_before, read_after; /* bytes since boot */
	uint64_t written_before, written_after;
};
struct done_worker {
	char *target;
	uint32_t worker;
	uint64_t first_submit_ns, last_completion_ns; /* 0: no I/O */
	uint64_t operations;
	char *cpus; /* that it was bound to; NULL: to none */
};
enum done_state { DONE_COMPLETE, DONE_ABORTED, DONE_BROKEN };
struct done {
	uint64_t sequence;
	enum done_state state;
	char *code;                  /* of the finding that this is; NULL: none of its own */
	char *text;                  /* why aborted or broken: host-side sentence; NULL */
	struct name *start_refusals; /* what the system refused for a punctual start */
	uint32_t start_refusals_count;
	uint64_t start_spin_ns; /* how long before the start workers spun; 0: they slept */
	struct done_target *targets;
	uint32_t targets_count;
	struct done_device *devices; /* empty: unknown */
	uint32_t devices_count;
	struct done_worker *workers;
	uint32_t workers_count;
	uint64_t process_read_bytes,
		process_written_bytes; /* /proc/self/io; 0 where there is none */
	uint64_t cpu_ns;               /* of the agent's process during the phase */
	uint64_t frozen_from_ns;       /* when the next began; 0: none */
	uint64_t frozen_ns; /* longest time in which the agent itself did not run; set by the
			       session */
};

struct ack {
	uint64_t sequence;
};
struct abort_load {
	char *reason;
};
struct release {
	bool keep;           /* also files whose target does not say so */
	uint32_t kept_phase; /* as in prepare */
};
struct released {
	struct name *removed;
	uint32_t removed_count;
	struct name *left; /* could not be removed: path and reason */
	uint32_t left_count;
};
struct heartbeat {
	uint64_t now_ns;
	uint32_t state; /* enum agent_state */
	/* From a controller, while the agent measures: what the agent's clock shows at now_ns,
	 * within
	 * +- the bound; 0: unknown. Who has the spool alone can put the buckets on one clock. */
	uint64_t agent_ns, bound_ns;
	/* From an agent: now_ns of the newest heartbeat of its controller, 0 before the first. What
	 * the controller sent before that one has come as well, or never will. */
	uint64_t heard_ns;
};
struct probe {
	uint64_t t1_ns; /* controller's clock */
};
struct probed {
	uint64_t t1_ns;        /* as it came */
	uint64_t t2_ns, t3_ns; /* received, answered: agent's clock */
};

/* The answer is the frames themselves, as they went or would have gone over the network (under the
 * lease and phase of then), about a MiB at a time, and `fetched` behind them. */
struct fetch {
	char *run;
	uint32_t phase, attempt; /* phase 0: the run's lease, and what the host was */
	uint64_t offset;         /* in what is kept; 0, then `next` of the answer */
};
/* About as many come for one question; what is larger by itself comes alone. */
#define FETCH_PIECE_BYTES (1u << 20)
struct fetched {
	char *run;
	uint32_t phase, attempt;
	uint64_t offset, next;
	uint32_t frames; /* of it, right before this */
	bool is_end;
	uint64_t
		torn_bytes; /* at the end, of a record that was being written when the agent died */
	char *error;        /* why it cannot be read; NULL */
};
struct forget {
	char *run;
};

/* What is said of each kind, in the order of enum message_kind. */
struct message_type {
	const char *name;
	const struct record_table *table;
	const char *doc;
	bool from_agent, from_controller;
};
extern const struct message_type message_types[MESSAGE_KINDS];

extern const struct record_table leased_table;
extern const struct record_table prepare_table;
extern const struct record_table failed_table;
extern const struct record_table disruption_table;
extern const struct record_table ready_table;
extern const struct record_table ready_target_table;
extern const struct record_table done_table;
extern const struct record_table kept_run_table;
extern const struct record_table timeline_table;
extern const struct record_table released_table;
extern const char *const target_io_names[];
extern const char *const done_state_names[];

#endif
