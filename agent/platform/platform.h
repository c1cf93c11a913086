/* platform.h - what differs between systems, as a porting contract.
 *
 * posix.c holds what all of them share; linux.c, freebsd.c and sunos.c each implement the rest of
 * this header. What a system has not is answered as "unknown", never guessed. */
#ifndef MUSTER_AGENT_PLATFORM_PLATFORM_H
#define MUSTER_AGENT_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "common/cpu_list.h"
#include "common/error.h"

/* What a container, jail, zone or control group leaves to this process; 0 and "": no limit that
 * shows. */
#define PLATFORM_CONTAINER 32
struct platform_limits {
	uint64_t memory_bytes;    /* page cache included */
	uint32_t cpu_thousandths; /* processor time: 2500 are two and a half CPUs */
	char io[192];             /* for people: "sda read 20 MiB/s" */
};

/* The host, for reports. Strings are the struct's. */
struct platform_facts {
	char system[64];
	char kernel[128];
	char hostname[256];
	char boot_id[64]; /* the same for every process on one running kernel */
	uint32_t cpus;    /* that this process may use */
	uint64_t memory_bytes;
	uint64_t uptime_s;
	char container[PLATFORM_CONTAINER]; /* docker, podman, jail, zone, ...; "": none */
	struct platform_limits limits;
};
void platform_facts(struct platform_facts *facts);

/* Processor time of this process, user and system, in ns. */
uint64_t platform_cpu_ns(void);

/* Bytes that the kernel charges to this process; false where it does not say. */
bool platform_process_io(uint64_t *read_bytes, uint64_t *written_bytes);

/* ---- rights ---- */

/* Becomes that user for good and keeps of root's rights only what a punctual start needs, where the
 * system can tell them apart. Before any other thread is there. -1: ERROR_USAGE when there is no
 * such user or this process may not, ERROR_SYSTEM. */
int platform_become_user(const char *name, struct error *err);

/* No core of this process is ever written, whatever the system's settings: it would have keys and
 * other people's data in it. What the system has against that beside RLIMIT_CORE, which does not
 * hold for all ways of writing one. */
void platform_forbid_cores(void);

/* As many open files as the system lets this process have: connections of strangers must not take
 * those of a phase. */
void platform_raise_files(void);

/* ---- files and devices ---- */

enum platform_direct {
	PLATFORM_DIRECT_YES,             /* past the page cache */
	PLATFORM_DIRECT_WRITTEN_THROUGH, /* accepted; reaches the device, but by way of memory
					    (btrfs) */
	PLATFORM_DIRECT_NO,              /* refused, or accepted without effect */
};

/* What lies behind an open file or device. */
struct platform_storage {
	bool device;                     /* a block device or raw disk */
	uint64_t size_bytes;             /* of a device; 0 for a file */
	uint32_t alignment_bytes;        /* of offset and length for direct I/O; 0: unknown */
	uint32_t memory_alignment_bytes; /* of the buffer; at least 1 */
	enum platform_direct direct;
	char direct_reason[160]; /* why not, or what it really does; empty for YES */
	bool ram;                /* ends in memory: tmpfs, zram, brd, loop over tmpfs */
	char ram_reason[160];
	char file_system[32];     /* type; empty for a device */
	char no_poll_reason[160]; /* why completions cannot be polled for; empty: they can (Linux)
				   */
	bool waits; /* the system cannot begin I/O on it without waiting: no RWF_NOWAIT (Linux) */
	uint64_t device_id; /* st_rdev of a device, st_dev of a file */
	bool no_topology;   /* that device is unknown to the system's own description (sysfs) */
};

/* What is not there of a device that does not open or is empty. */
enum platform_lack {
	PLATFORM_LACK_NOTHING, /* or it is not known */
	PLATFORM_LACK_NODE,    /* hidden: a path of a multipath disk, which has no name in /dev */
	PLATFORM_LACK_MEDIUM,  /* a drive with nothing in it */
	PLATFORM_LACK_SIZE,    /* nothing is attached to it */
};
/* `path` need not exist. */
enum platform_lack platform_device_lack(const char *path);

/* Opens a file or device for reading or for both, direct or not, never creating, following no last
 * symlink for a file. `direct` is honoured with the system's way (O_DIRECT, directio()). */
int platform_open(const char *path, bool write, bool direct, int *fd, struct error *err);

/* The same for a regular file and nothing else, by its directory and its name there; `path` is for
 * the texts. */
int platform_open_file(int directory, const char *name, const char *path, bool write, bool direct,
		       int *fd, struct error *err);

/* Opens a directory for what is done in it, following no symbolic link at all: in one step where
 * the system has that (openat2), else component by component. On failure errno is kept. */
int platform_open_directory(const char *path, int *fd, struct error *err);

/* Asks the system about an open descriptor. */
int platform_storage(int fd, const char *path, struct platform_storage *storage, struct error *err);

/* Has the open, empty file written over in place where its file system copies on write (btrfs:
 * nodatacow); refused where that is not possible, or not needed. */
int platform_write_in_place(int fd, const char *path, struct error *err);

/* Gives [offset, offset + length) of an open file its place on disk, at best in one piece. For what
 * is then written at once: nothing is to read what stands there before. ENOSPC or EDQUOT where
 * there is no room, 0 otherwise, also where the file system cannot. */
int platform_allocate(int fd, uint64_t offset, uint64_t length);

/* When what stands in a directory was made, in ns of the wall clock, following no symlink; 0 where
 * the system or the file system does not say. */
uint64_t platform_born_ns(int directory, const char *name);

/* Bytes that a file in an open directory can still have, and files that can be made; `path` is for
 * the texts. */
int platform_space(int directory, const char *path, uint64_t *free_bytes, uint64_t *free_files,
		   struct error *err);

ssize_t platform_readv(int fd, const struct iovec *vector, int count, uint64_t offset);
ssize_t platform_writev(int fd, const struct iovec *vector, int count, uint64_t offset);

/* fsync, or fdatasync for the data alone; of a device its write cache is flushed. -1 with errno. */
int platform_sync(int fd, bool data_alone);

/* Whether blocks of an open device, or of a file that muster made, can be given back; `*unit`: what
 * is given back has to be whole ones of so many bytes, 0: unknown. Changes nothing. */
int platform_trim_probe(int fd, const char *path, bool device, uint64_t *unit, struct error *err);
/* Gives them back: 0, or -1 with errno. A file keeps its length and has a hole there. */
int platform_trim_device(int fd, uint64_t offset, uint64_t length);
int platform_trim_file(int fd, uint64_t offset, uint64_t length);

/* Memory aligned to `alignment`, for I/O; NULL when there is none. Freed with free(). */
void *platform_buffer(size_t alignment, size_t size);

/* Explicit huge pages, reserved when this returns and touched by who uses them first. `size` is
 * then rounded up to whole pages. NULL with what the system has and how it gets more. */
void *platform_huge_buffer(size_t *size, struct error *err);
void platform_huge_free(void *buffer, size_t size);

/* As platform_buffer, of large pages where the system has them for the asking and `size` is worth
 * it: fewer pieces for a driver, which cuts I/O that has too many. Rounded up to whole large pages.
 */
void *platform_large_buffer(size_t alignment, size_t size);

/* Name of the calling thread, where the system has such. */
void platform_thread_name(const char *name);

/* ---- processors and memory nodes ---- */

/* Those that this process may run on, by their numbers. */
int platform_cpus(struct cpu_list *cpus, struct error *err);

/* The NUMA nodes, and the processors of one. A system without them has node 0 with all. */
int platform_nodes(struct cpu_list *nodes, struct error *err);
int platform_node_cpus(uint32_t node, struct cpu_list *cpus, struct error *err);

/* The node that the devices beneath an open file or device are attached to; false: unknown, or more
 * than one. */
bool platform_device_node(int fd, uint32_t *node);

/* The calling thread runs on these alone; 0, or the errno with which the system refused. */
int platform_thread_bind(const struct cpu_list *cpus);

/* ---- a punctual start ---- */

/* Each answers 0, or the errno with which the system refused; ENOTSUP where it has no such. */

/* Keeps all pages that the process has touched in memory, as far as its limit allows. */
int platform_memory_lock(void);
void platform_memory_unlock(void);

/* The calling thread's sleeps end when they should and not somewhat later. */
int platform_thread_exact_sleep(void);

/* Puts the calling thread before all ordinary ones (SCHED_FIFO), and back. A thread that is there
 * already stays. */
struct platform_schedule {
	bool changed;
	int policy, priority;
};
int platform_thread_first(struct platform_schedule *before);
void platform_thread_restore(const struct platform_schedule *before);

/* The clocks of this host at one moment, in ns. */
struct platform_clocks {
	uint64_t base_ns;  /* clock_now_ns() */
	uint64_t timer_ns; /* by which sleeps are timed; nobody sets it */
	uint64_t wall_ns;  /* is set by people and programs */
	uint64_t boot_ns;  /* as timer_ns, but goes on in suspend; 0: there is none */
	uint64_t error_ns; /* all were read within so long */
	uint32_t base_slew_ppm, wall_slew_ppm; /* how fast they may run against timer_ns unset */
	bool has_rate;                         /* rate_ppb is known, and base_ns follows it */
	int64_t rate_ppb;                      /* that the system was told to run at */
};
void platform_clocks(struct platform_clocks *clocks);

/* ---- counters of devices ---- */

#define PLATFORM_DEVICE_NAME 64
struct platform_device {
	char device[PLATFORM_DEVICE_NAME]; /* kernel's name: sda, loop3 */
	char under[PLATFORM_DEVICE_NAME];  /* the device above it; empty: a top one */
};

/* The block devices that the bytes of this file or device move on: first those that the file
 * system (or the device itself) is on, btrfs's members included, then those beneath (partition's
 * disk, md, dm) with `under`. Answers how many, at most `most`; 0: unknown (fuse, NFS, overlay). */
uint32_t platform_devices(int fd, struct platform_device *devices, uint32_t most);

/* Bytes read and written by a device since boot; false when it has no counters. */
bool platform_device_bytes(const char *device, uint64_t *read_bytes, uint64_t *written_bytes);

/* ---- may a device be overwritten ---- */

/* Stable name of the hardware behind an open device, with its kind in front: wwn:, else serial:,
 * else what its layer wrote on the disks (dm:, md:, geom:), else for a loop device
 * loop:<backing path>:<device>:<inode>[:<offset>+<limit>], else <name>:diskseq:<n>:<the boot's id>;
 * devid: on SunOS. A partition has its disk's and -part<n>:<begin>+<length>, in bytes (-part-p1:...
 * on FreeBSD; a slice of SunOS its letter alone). False, with text empty, when there is none. */
#define PLATFORM_IDENTITY_SIZE 1280
bool platform_identity(int fd, const char *path, char identity[PLATFORM_IDENTITY_SIZE]);

/* What holds the device: each reason is one sentence ("partition sda1 is mounted on /boot").
 * `never` of a reason: not writable whatever the plan says (mounted, swap, the system's disk, a
 * member of a pool, stripe, mirror, volume group or crypt mapping, idle ones too, a file system
 * that other hosts may have mounted, or open for writing elsewhere); else only a signature
 * or partition table, which `destroy` may overwrite. Never opens for writing. */
struct platform_use {
	bool never;
	char text[256];
};
/* Devices that other processes have open for writing: filled at the first question, so that a look
 * at many devices walks over the processes once. Zero it; platform_openers_release frees. Linux
 * alone fills it; FreeBSD counts openers without their names, illumos cannot ask. */
#define PLATFORM_PROGRAM 32
struct platform_opener {
	dev_t device;
	uint32_t process, others; /* one of them, and how many more */
	char program[PLATFORM_PROGRAM];
};
struct platform_openers {
	bool is_read;
	struct platform_opener *list; /* by device */
	uint32_t count;
};
void platform_openers_release(struct platform_openers *openers);

/* Answers how many reasons, at most `most`; -1 with err when the system could not be asked, which
 * counts as "in use". `openers` NULL: who else has it open is not asked. */
int platform_device_use(int fd, const char *path, struct platform_openers *openers,
			struct platform_use *uses, int most, struct error *err);

/* Opens the device for writing, exclusively where the system has that. */
int platform_open_exclusive(const char *path, bool direct, int *fd, struct error *err);

#endif
