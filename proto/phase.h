/* phase.h - what a person asks for: targets and phases, as the plan has them and as they travel. */
#ifndef MUSTER_PROTO_PHASE_H
#define MUSTER_PROTO_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/pattern_shape.h"
#include "common/record.h"

/* Of an extent and of an amount: what offsets are made of stays far from the end of its type. */
#define PHASE_BYTES_MOST (UINT64_C(1) << 62)

/* What I/O goes to on a host. Exactly one of path, device, stripe, null. */
struct target {
	char *name;
	char *path;          /* a directory (muster makes one file in it), or a file muster made */
	char *device;        /* a block device or raw disk */
	struct name *stripe; /* RAID0 in user space over these targets of the same host */
	uint32_t stripe_count;
	bool null;            /* no I/O at all: the harness's own ceiling */
	uint64_t stripe_unit; /* bytes on one part before the next */
	char *size;           /* extent, as written; NULL: a device is used whole */
	uint64_t size_bytes;  /* computed: `size` on this host; 0: whole device */
	struct name *members; /* targets beneath, for the analysis; does no I/O */
	uint32_t members_count;
	char *destroy;  /* identity of the device that may be overwritten; NULL: never */
	bool keep;      /* the file stays after the run */
	bool remove;    /* it does not, though an earlier run kept it */
	bool nodatacow; /* the file is written over in place on btrfs */
};

enum phase_op {
	PHASE_OP_READ,
	PHASE_OP_WRITE,
	PHASE_OP_MIXED,
	PHASE_OP_TRIM,
	PHASE_OP_IDLE,
	PHASE_OP_FILL
};
enum phase_access { PHASE_ACCESS_SEQUENTIAL, PHASE_ACCESS_RANDOM };
/* Of random access: each block as it comes, or each once a pass. */
enum phase_coverage { PHASE_COVERAGE_RANDOM, PHASE_COVERAGE_FULL };
enum phase_split { PHASE_SPLIT_REGIONS, PHASE_SPLIT_INTERLEAVED };
/* AUTO becomes END where the phase writes and NONE where it only reads (plan_check). */
enum phase_sync { PHASE_SYNC_AUTO, PHASE_SYNC_NONE, PHASE_SYNC_END, PHASE_SYNC_EACH };
enum phase_sync_call { PHASE_SYNC_CALL_FSYNC, PHASE_SYNC_CALL_FDATASYNC };
enum phase_direct { PHASE_DIRECT_TRUE, PHASE_DIRECT_PREFER, PHASE_DIRECT_FALSE };
enum phase_cache { PHASE_CACHE_FORBIDDEN, PHASE_CACHE_ALLOWED };
enum phase_pattern { PHASE_PATTERN_RANDOM, PHASE_PATTERN_AES_CTR, PHASE_PATTERN_ZEROS };
enum phase_numa { PHASE_NUMA_NONE, PHASE_NUMA_NODE, PHASE_NUMA_DEVICE };
enum phase_hugepages {
	PHASE_HUGEPAGES_AUTO,
	PHASE_HUGEPAGES_TRUE,
	PHASE_HUGEPAGES_PREFER,
	PHASE_HUGEPAGES_FALSE,
};
enum phase_engine { PHASE_ENGINE_AUTO, PHASE_ENGINE_SYNC, PHASE_ENGINE_URING, PHASE_ENGINE_AIO };

/* Of a mix of block sizes: so many of 100 I/Os are of that size. */
struct block_share {
	uint64_t size;  /* bytes */
	uint32_t share; /* percent */
};
/* Sizes of one mix. */
#define PHASE_MIX_MOST 16

struct phase {
	char *name;
	enum phase_op op;
	struct name *targets;
	uint32_t targets_count;
	enum phase_access access;
	enum phase_coverage coverage;
	uint64_t block_size;           /* bytes of one I/O; of a mix, of the largest (plan_check) */
	struct block_share *block_mix; /* empty: all I/Os are of block_size */
	uint32_t block_mix_count;
	uint32_t read_percent; /* mixed: of all I/Os, the rest write */
	uint32_t workers;      /* threads on each target */
	uint32_t queue_depth;  /* I/Os in flight of one worker */
	char *size; /* amount to move on each target and host, as written; NULL: until runtime ends
		     */
	uint64_t size_bytes; /* computed: `size` on this host; 0: no such end */
	uint32_t passes;     /* fill: how often all of the target is written */
	uint64_t runtime;    /* ns; 0: until `size` is moved */
	uint64_t ramp;       /* ns before runtime, left out of the figures */
	char *rate;          /* that each target of each host is held to, as written; NULL: none */
	uint64_t rate_bytes, rate_operations; /* computed: it, a second; 0: not by these */
	enum phase_split split;
	enum phase_sync sync;
	uint32_t sync_every;            /* writes of a worker before it syncs; 0: never */
	enum phase_sync_call sync_call; /* of sync_every and of the sync at the end */
	enum phase_direct direct;
	bool allow_ram;
	enum phase_cache cache;
	enum phase_engine engine;
	bool verify;  /* what is read is compared with what was written */
	char *expect; /* what is read was written by that earlier run; NULL: by this one */
	bool iopoll;  /* completions are polled for on the device; uring */
	enum phase_pattern pattern;
	uint32_t compress; /* percent that compression saves of what is written */
	uint32_t dedupe;   /* percent of what is written that stands elsewhere, too */
	char *cpus;        /* that workers are bound to (cpu_list.h); NULL: any */
	enum phase_numa numa;
	enum phase_hugepages hugepages; /* of the I/O buffers */
};

/* What was done in one size of a mix, after the ramp. */
struct done_size {
	uint64_t block_size;
	uint64_t bytes_read, bytes_written, operations;
};

extern const struct record_table done_size_table;
extern const struct record_table target_table;
extern const struct record_table phase_table;

/* The names of the enumerations, as in the tables. */
extern const char *const phase_op_names[];
extern const char *const phase_sync_call_names[];

/* Whether anything on its targets is lost: it writes data, or gives blocks back. */
static inline bool phase_writes(const struct phase *phase)
{
	return phase->op != PHASE_OP_READ && phase->op != PHASE_OP_IDLE;
}

/* Whether it writes data. */
static inline bool phase_writes_data(const struct phase *phase)
{
	return phase_writes(phase) && phase->op != PHASE_OP_TRIM;
}

/* Whether it does nothing but write data. */
static inline bool phase_only_writes(const struct phase *phase)
{
	return phase->op == PHASE_OP_WRITE || phase->op == PHASE_OP_FILL;
}

/* Whether bytes go to its targets or come from them. */
static inline bool phase_moves_data(const struct phase *phase)
{
	return phase->op != PHASE_OP_TRIM && phase->op != PHASE_OP_IDLE;
}

/* How often all of a target is gone through before the phase ends; 0: it has another end. A trim
 * without an amount gives everything back, once: what was given back is not there for another time,
 * however much of its runtime is left. */
static inline uint32_t phase_passes(const struct phase *phase)
{
	if (phase->op == PHASE_OP_FILL)
		return phase->passes;
	return phase->op == PHASE_OP_TRIM && !phase->size && !phase->size_bytes;
}

/* Whether its time is what was asked for. With an amount it is not, even where runtime may cut it
 * short: who is through early leaves the others alone, and the span is the figure that has both. */
static inline bool phase_is_timed(const struct phase *phase)
{
	return phase->runtime && !phase->size && !phase_passes(phase);
}

/* Whether random access visits each block once a pass. */
static inline bool phase_covers(const struct phase *phase)
{
	return phase->coverage == PHASE_COVERAGE_FULL || phase_passes(phase);
}

/* Whether its targets have to hold data before. */
static inline bool phase_needs_data(const struct phase *phase)
{
	return phase->op == PHASE_OP_READ || phase->op == PHASE_OP_MIXED ||
	       phase->op == PHASE_OP_TRIM;
}

/* Whether it is held to a rate. */
static inline bool phase_is_paced(const struct phase *phase)
{
	return phase->rate_bytes || phase->rate_operations;
}

/* Whether both are held to the same rate, or neither to any. */
static inline bool phase_rates_are_alike(const struct phase *a, const struct phase *b)
{
	return a->rate_bytes == b->rate_bytes && a->rate_operations == b->rate_operations;
}

/* An I/O a minute of each worker: slower, nobody would know whether it goes on. */
static inline uint64_t phase_least_rate(const struct phase *phase, bool by_bytes)
{
	return (phase->workers * (by_bytes ? phase->block_size : 1) + 59) / 60;
}

/* Whether both have I/Os of the same sizes in the same shares. */
bool phase_blocks_are_alike(const struct phase *a, const struct phase *b);

/* How the data are made that it writes, or has laid out before it reads. */
static inline struct pattern_shape phase_shape(const struct phase *phase)
{
	return (struct pattern_shape){
		.source = (uint8_t)phase->pattern, /* enum pattern_source, in the same order */
		.compress = (uint8_t)phase->compress,
		.dedupe = (uint8_t)phase->dedupe,
	};
}

/* The ramp, rounded up to whole buckets. */
static inline uint64_t phase_ramp_ns(const struct phase *phase, uint64_t bucket_ns)
{
	return (phase->ramp + bucket_ns - 1) / bucket_ns * bucket_ns;
}

/* Whether the target does I/O as RAID0 in user space. */
static inline bool target_is_stripe(const struct target *target)
{
	return target->stripe_count > 0;
}

#endif
