/* facts.h - what is known of storage beside what was measured on it: told by a person, in a plan
 * (`expect`) or in a file for `muster judge` (docs/JUDGE.md). A member that is 0 or NULL was not
 * told, and no rule looks at it. */
#ifndef MUSTER_CONTROLLER_FACTS_H
#define MUSTER_CONTROLLER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/record.h"
#include "common/record_yaml.h"

enum fact_fill { FACT_FILL_UNKNOWN, FACT_FILL_RANDOM, FACT_FILL_ZEROS, FACT_FILL_REPEATING };
enum fact_level {
	FACT_LEVEL_UNKNOWN,
	FACT_LEVEL_SINGLE,
	FACT_LEVEL_RAID0,
	FACT_LEVEL_RAID1,
	FACT_LEVEL_RAID10,
	FACT_LEVEL_RAID5,
	FACT_LEVEL_RAID6,
	FACT_LEVEL_RAIDZ1,
	FACT_LEVEL_RAIDZ2,
	FACT_LEVEL_RAIDZ3,
};

/* A link between a disk and the memory: PCIe, SAS where the rate is 3, 6, 12 or 22.5, Ethernet
 * where there is an MTU. */
struct fact_link {
	char *link;
	double gt_per_s, gt_per_s_most; /* transfers of a lane; NAN, 0: not told */
	uint32_t width, width_most;     /* lanes; 0 of 4: not connected */
	uint32_t mtu;                   /* bytes of an Ethernet packet; 0: it is none */
	uint32_t ports;                 /* how many are like this */
	struct name *targets;           /* whose bytes go over it */
	uint32_t targets_count;
};

/* What stands beneath a target, on each host that has it. */
struct fact_storage {
	char *target;
	enum fact_level level;
	enum fact_fill fill; /* what was written */
	uint32_t disks;
	uint64_t disk_rate, link_rate, controller_rate; /* bytes/s that each can do at most */
	uint64_t disk_iops;                             /* random ones a second of a disk */
	char *reference;                                /* another figure that is known: its name */
	uint64_t reference_rate;                        /* and rate of reads, bytes/s */
	uint64_t device_size;
	uint64_t logical_block, physical_block;
	uint64_t offset; /* where it begins on the device beneath */
	bool has_offset; /* computed: offset was written */
	uint64_t stripe_unit;
	uint64_t layout_unit,
		layout_width; /* stripe unit and width that the file system works with */
	bool compression, dedup;
	uint64_t file_size, allocated; /* of the test files: as they look, and what they take */
	uint32_t files;                /* that the test makes or has */
	uint64_t free_bytes, free_inodes;
	bool has_free_bytes, has_free_inodes; /* computed */
};

/* What a host has, as far as it is known. */
struct hardware {
	struct fact_storage *storage;
	uint32_t storage_count;
	struct fact_link *links;
	uint32_t links_count;
};

enum fact_sweep_kind { FACT_SWEEP_TUNABLE, FACT_SWEEP_MEMBERS, FACT_SWEEP_NUMA };

struct sweep_point {
	double setting;
	char *op;
	uint32_t trial;
	double bytes, seconds, bytes_per_s;
	double operations_per_s;
};

/* The same thing measured with several settings. */
struct fact_sweep {
	char *sweep;
	enum fact_sweep_kind kind;
	char *table;           /* file of points */
	uint32_t knee_percent; /* loss against the best that still counts as equal */
	uint64_t min_window;   /* ns of a point */
	uint64_t block_size;   /* of an operation */
	uint64_t limit_rate;   /* bytes/s that is shared for certain: the ceiling of a link */
	bool one_generator;    /* one list of targets for all workers */
	uint32_t numa_node;    /* that the system names */
	bool has_numa_node;    /* computed */
	struct sweep_point *points;
	uint32_t points_count;
};

struct facts {
	struct fact_storage *storage;
	uint32_t storage_count;
	struct fact_link *links;
	uint32_t links_count;
	struct fact_sweep *sweeps;
	uint32_t sweeps_count;
};

extern const struct record_table hardware_table;
extern const struct record_table facts_table;
extern const struct record_table fact_storage_table;
extern const struct record_table fact_link_table;
extern const struct record_table fact_sweep_table;
extern const struct record_table sweep_point_table;

extern const char *const fact_level_names[];

/* Storage and links of `facts`, lent; `facts` may be NULL. */
struct hardware facts_hardware(const struct facts *facts);

/* What is known of a target; NULL: nothing. */
const struct fact_storage *hardware_storage(const struct hardware *hardware, const char *target);

/* After reading: what was not written is not known, rather than 0. */
void hardware_mark(struct hardware *hardware, const struct record_places *places);

/* What contradicts itself or could not be used, and the member that is about; false: nothing. */
struct facts_fault {
	const void *member;
	char text[256];
};
bool facts_storage_fault(const struct fact_storage *storage, struct facts_fault *fault);
bool facts_link_fault(const struct fact_link *link, struct facts_fault *fault);

#endif
