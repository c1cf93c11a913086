/* posix_partitions.h - where the partitions of a disk are, read without any library: GPT (also from
 * its backup alone), MBR with logical ones, and BSD's and Solaris' labels in the disk or in one of
 * its partitions. For whoever looks for what is in them: doubtful entries are answered too. */
#ifndef MUSTER_AGENT_PLATFORM_POSIX_PARTITIONS_H
#define MUSTER_AGENT_PLATFORM_POSIX_PARTITIONS_H

#include <stdint.h>

#define PARTITIONS_MOST 256

/* Bytes; inside the disk, and not all of it. */
struct partition {
	uint64_t offset, size;
};

struct partitions {
	struct partition parts[PARTITIONS_MOST];
	uint32_t count;
	uint32_t left_out; /* that found no room */
};

/* The disk is open for reading; its offsets are in sectors of `sector_bytes`. -1 when it cannot be
 * read (errno). */
int partitions_find(struct partitions *partitions, int fd, uint64_t size_bytes,
		    uint32_t sector_bytes);

#endif
