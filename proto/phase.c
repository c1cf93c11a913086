#include "proto/phase.h"

static const struct record_row target_rows[] = {
	{MEMBER(struct target, name), .required = true, .doc = "what phases and reports call it"},
	{MEMBER(struct target, path), .aka = " filename file directory dir folder ",
	 .doc = "a directory, in which muster makes one file a target and host, or a file that "
		"muster made and kept; relative to the agent's scratch directory"},
	{MEMBER(struct target, device), .aka = " disk dev ", .doc = "a block device or raw disk"},
	{MEMBER_LIST(struct target, stripe, name_table),
	 .doc = "RAID0 in user space over these targets of the same host"},
	{MEMBER(struct target, null), .fallback = "false",
	 .doc = "true: no I/O at all; measures the harness itself"},
	{MEMBER(struct target, stripe_unit), .unit = UNIT_BYTES, .fallback = "128KiB", .min = 512,
	 .max = 1 << 30, .doc = "bytes on one part of the stripe before the next part's turn"},
	{MEMBER(struct target, size), .aka = " filesize file_size ",
	 .doc = "extent that is used: bytes (10GiB) or a multiple of the host's memory (2x ram); a "
		"device without it is used whole"},
	{MEMBER(struct target, size_bytes), .computed = true, .doc = "size on this host, in bytes"},
	{MEMBER_LIST(struct target, members, name_table),
	 .doc = "the targets beneath this one, for the analysis; does no I/O by itself"},
	{MEMBER(struct target, destroy), .doc = "the identity of the device, which arms writing to "
						"it and so destroys what it holds; a "
						"refusal prints it ready to paste"},
	{MEMBER(struct target, keep), .fallback = "false",
	 .doc = "true: the file that muster made stays after the run, and after later ones that do "
		"not say `remove`"},
	{MEMBER(struct target, remove), .fallback = "false",
	 .doc = "true: the file is removed at the end, also where an earlier run kept it; a phase "
		"that only opens it is enough, {op: idle, runtime: 1s}"},
	{MEMBER(struct target, nodatacow), .fallback = "false",
	 .doc = "true: on btrfs the file is made to be written over in place, without checksums, "
		"which is the only way that its I/O is direct"},
};
const struct record_table target_table = RECORD_TABLE(
	struct target, "target", target_rows,
	"What I/O goes to on a host: exactly one of `path`, `device`, `stripe`, `null`.");

const char *const phase_op_names[] = {"read", "write", "mixed", "trim", "idle", "fill", NULL};
static const char *const access_names[] = {"sequential", "random", NULL};
static const char *const coverage_names[] = {"random", "full", NULL};
static const char *const split_names[] = {"regions", "interleaved", NULL};
static const char *const sync_names[] = {"auto", "none", "end", "each", NULL};
const char *const phase_sync_call_names[] = {"fsync", "fdatasync", NULL};
static const char *const direct_names[] = {"true", "prefer", "false", NULL};
static const char *const cache_names[] = {"forbidden", "allowed", NULL};
static const char *const pattern_names[] = {"random", "aes-ctr", "zeros", NULL};
static const char *const numa_names[] = {"none", "node", "device", NULL};
static const char *const hugepages_names[] = {"auto", "true", "prefer", "false", NULL};
static const char *const engine_names[] = {"auto", "sync", "uring", "aio", NULL};

static const struct record_row block_share_rows[] = {
	{MEMBER(struct block_share, size), .unit = UNIT_BYTES, .min = 512, .max = 1 << 30,
	 .required = true, .doc = "bytes of one I/O"},
	{MEMBER(struct block_share, share), .unit = UNIT_PERCENT, .min = 1, .max = 100,
	 .required = true, .doc = "of all I/Os"},
};
static const struct record_table block_share_table = RECORD_TABLE(
	struct block_share, "block_share", block_share_rows, "One size of a mix of block sizes.");

static const struct record_row done_size_rows[] = {
	{MEMBER(struct done_size, block_size), .doc = "bytes of one I/O"},
	{MEMBER(struct done_size, bytes_read), .doc = "in I/Os of that size"},
	{MEMBER(struct done_size, bytes_written), .doc = "likewise"},
	{MEMBER(struct done_size, operations), .doc = "that moved bytes"},
};
const struct record_table done_size_table =
	RECORD_TABLE(struct done_size, "done_size", done_size_rows,
		     "What was done in one size of a mix of block sizes, after the ramp.");

static const struct record_row phase_rows[] = {
	{MEMBER(struct phase, name), .required = true, .doc = "what gates and reports call it"},
	{MEMBER(struct phase, op), .aka = " rw readwrite mode ", .names = phase_op_names,
	 .required = true,
	 .doc = "what the workers do. trim gives blocks back, all of them once where it has no "
		"size, for runtime at most where it has one: a discard on devices, which are armed "
		"as for a write, a hole in "
		"files, which are laid out before. idle does no I/O for its runtime. fill writes "
		"all of the targets `passes` times, in sequence or, with access: random, each "
		"block "
		"once a pass: preconditioning, which no rule judges"},
	{MEMBER_LIST(struct phase, targets, name_table), .required = true,
	 .doc = "the targets that take part, all at once, on every host that has them"},
	{MEMBER(struct phase, access), .aka = " pattern_type order ", .names = access_names,
	 .fallback = "sequential",
	 .doc = "order of the blocks; random reads range over all of the target, random writes "
		"over the "
		"worker's region"},
	{MEMBER(struct phase, coverage), .names = coverage_names, .fallback = "random",
	 .doc = "of random access: random draws each block anew, so that some come often and some "
		"never; full visits each block of the worker's region, reads as well, once a pass, "
		"in another order each pass"},
	{MEMBER(struct phase, block_size), .aka = " bs blocksize block xfersize ",
	 .unit = UNIT_BYTES, .fallback = "1MiB", .min = 512, .max = 1 << 30, .map = "block_mix",
	 .doc = "bytes of one I/O, a multiple of 512; of random I/Os also a mix, {4KiB: 70%, "
		"64KiB: "
		"30%}: at most 16 sizes, shares of all I/Os that add up to 100%. Each I/O begins "
		"at "
		"a multiple of its own size, random writes counted from where the worker's region "
		"begins"},
	{MEMBER_LIST(struct phase, block_mix, block_share_table), .keyed = true, .computed = true,
	 .doc = "the sizes of a mix, whose largest is block_size; empty: all are of block_size"},
	{MEMBER(struct phase, read_percent), .aka = " rwmixread rwmixpct rdpct ",
	 .unit = UNIT_PERCENT, .max = 100, .fallback = "50%",
	 .doc = "of a mixed phase's I/Os, how many read; the rest write"},
	{MEMBER(struct phase, workers), .aka = " numjobs jobs threads nthreads ", .fallback = "1",
	 .min = 1, .max = 1024, .doc = "threads on each target of each host"},
	{MEMBER(struct phase, queue_depth), .aka = " iodepth qd depth ", .fallback = "1", .min = 1,
	 .max = 4096,
	 .doc = "I/Os in flight of one worker; the sync engine has 1, uring and aio as many as "
		"are asked for"},
	{MEMBER(struct phase, size), .aka = " amount io_size filesize ",
	 .doc = "amount to move on each target and host: bytes or a "
		"multiple of the host's memory (2x "
		"ram); with runtime, whichever ends first"},
	{MEMBER(struct phase, size_bytes), .computed = true, .doc = "size on this host, in bytes"},
	{MEMBER(struct phase, passes), .aka = " loops iterations ", .max = 1000, .fallback = "2",
	 .doc = "of a fill: how often all of each target is written; 2 as SNIA's preconditioning "
		"that "
		"does not depend on the load"},
	{MEMBER(struct phase, runtime), .aka = " time duration timelimit elapsed ", .unit = UNIT_NS,
	 .doc = "how long it is measured"},
	{MEMBER(struct phase, ramp), .aka = " ramp_time warmup ", .unit = UNIT_NS, .fallback = "0",
	 .doc = "goes before runtime, rounded up to whole buckets, is flagged in the timeline and "
		"left "
		"out of the figures"},
	{MEMBER(struct phase, rate), .aka = " rate_iops iorate limit ",
	 .doc = "what each target of each host is held to, all of its workers together: bytes "
		"(100MiB/s) or operations (500/s, 500 iops). I/Os are due at even distances "
		"whatever the device does: what could not go out in time goes out later, and its "
		"response time counts from when it was due; latency, from submit to completion, is "
		"kept beside it. With queue_depth: 1 a worker that waits for the device submits "
		"nothing: take a deeper queue or more workers"},
	{MEMBER(struct phase, rate_bytes), .computed = true,
	 .doc = "the rate in bytes a second; 0: it is not by bytes"},
	{MEMBER(struct phase, rate_operations), .computed = true,
	 .doc = "the rate in operations a second; 0: it is not by operations"},
	{MEMBER(struct phase, split), .names = split_names, .fallback = "regions",
	 .doc = "how workers share a target: contiguous regions of whole blocks, or in turns on "
		"one "
		"stream (worker w of W takes blocks w, w+W, …)"},
	{MEMBER(struct phase, sync), .aka = " fsync end_fsync ", .names = sync_names,
	 .fallback = "auto",
	 .doc = "fsync never, once at the end, or after each write; auto is end where the phase "
		"writes"},
	{MEMBER(struct phase, sync_every), .max = 1000000000, .fallback = "0",
	 .doc = "after each so many writes a worker waits until all of them are back, syncs, and "
		"goes "
		"on; beside the sync at the end, and with a latency of its own. 0: never"},
	{MEMBER(struct phase, sync_call), .names = phase_sync_call_names, .fallback = "fsync",
	 .doc = "with what it is synced after sync_every writes and at the end"},
	{MEMBER(struct phase, direct), .names = direct_names, .fallback = "true",
	 .doc = "past the page cache: true refuses where it is not possible, prefer goes on "
		"buffered and "
		"marks the result"},
	{MEMBER(struct phase, allow_ram), .fallback = "false",
	 .doc = "true: targets in memory (tmpfs, zram, a loop device over tmpfs) are not refused; "
		"every "
		"report says so"},
	{MEMBER(struct phase, cache), .names = cache_names, .fallback = "forbidden",
	 .doc = "allowed: a figure from cache is wanted, CACHE_SERVED is a note"},
	{MEMBER(struct phase, engine), .aka = " ioengine ", .names = engine_names,
	 .fallback = "auto",
	 .doc = "how I/O is issued: sync, one pread or pwrite at a time; uring, Linux's io_uring; "
		"aio, Linux's native AIO; auto takes for each target the cheapest that the host "
		"lets us, and why is in the result"},
	{MEMBER(struct phase, iopoll), .fallback = "false",
	 .doc = "true: completions are polled for instead of announced by interrupts (IOPOLL): "
		"engine uring, direct I/O, a device with polling queues; refused where one of "
		"these is not there"},
	{MEMBER(struct phase, cpus), .doc = "processors for the workers, as 0-3,8: each worker is "
					    "bound to one, by turns through "
					    "all targets; a host's own `cpus` goes before"},
	{MEMBER(struct phase, numa), .names = numa_names, .fallback = "none",
	 .doc = "node: workers are bound to NUMA nodes by turns; device: to the node that the "
		"target's device is attached to; each may run on all of that node's processors, of "
		"`cpus` where given"},
	{MEMBER(struct phase, hugepages), .names = hugepages_names, .fallback = "auto",
	 .doc = "I/O buffers: auto asks for transparent huge pages from 1 MiB on; true takes pages "
		"of the system's pool and is refused where they do not suffice, prefer goes on as "
		"auto then, with a note; false asks for none"},
	{MEMBER(struct phase, verify), .fallback = "false",
	 .doc = "true: every byte read is compared with what muster wrote there in the same run, "
		"or in the one that `expect` names; what differs makes the run INVALID and is kept "
		"as evidence. A random mix that verifies needs queue_depth: 1 or coverage: full"},
	{MEMBER(struct phase, expect),
	 .doc = "the id of an earlier run that wrote what is read, to a device or to a path with "
		"`keep: true`, through agents that have the same spool: ones that were started by "
		"themselves, or local ones with `spool`; nothing is laid out then"},
	{MEMBER(struct phase, pattern), .names = pattern_names, .fallback = "random",
	 .doc = "what is written, also by a lay-out: random, a stream of muster's own that no disk "
		"can compress; aes-ctr, that of AES-128 in counter mode by OpenSSL, at three times "
		"the processor time; zeros, which measure no disk that knows them and cannot be "
		"verified"},
	{MEMBER(struct phase, compress), .aka = " buffer_compress_percentage compratio ",
	 .unit = UNIT_PERCENT, .max = PATTERN_COMPRESS_MOST, .fallback = "0%",
	 .doc = "share that a compressor saves of what is written, of 4 KiB as of 1 MiB"},
	{MEMBER(struct phase, dedupe), .aka = " dedupe_percentage dedupratio ",
	 .unit = UNIT_PERCENT, .max = PATTERN_DEDUPE_MOST, .fallback = "0%",
	 .doc = "share of the 4 KiB to 1 MiB blocks of a target that stand in it elsewhere, too; "
		"copies are of whole 1 MiB units"},
};
const struct record_table phase_table =
	RECORD_TABLE(struct phase, "phase", phase_rows,
		     "One thing all workers of all hosts do, from one start instant on. Needs "
		     "`runtime`, `size` or "
		     "both.");

bool phase_blocks_are_alike(const struct phase *a, const struct phase *b)
{
	if (a->block_size != b->block_size || a->block_mix_count != b->block_mix_count)
		return false;
	for (uint32_t i = 0; i < a->block_mix_count; i++)
		if (a->block_mix[i].size != b->block_mix[i].size ||
		    a->block_mix[i].share != b->block_mix[i].share)
			return false;
	return true;
}
