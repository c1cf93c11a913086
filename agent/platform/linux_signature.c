#include "agent/platform/linux_signature.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/platform/posix_signature.h"
#include "agent/platform/posix_zfs_label.h"

/* A part of a device: the whole, or what its partition table calls a partition. */
struct extent {
	int fd;
	uint64_t offset, size;
	const char *name;
};

static int cannot_probe(const struct extent *extent, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot look for signatures on %s: %s", extent->name,
		  errno ? strerror(errno) : "libblkid failed");
	return -1;
}

static const char *value(blkid_probe probe, const char *name)
{
	const char *text;

	return blkid_probe_lookup_value(probe, name, &text, NULL) == 0 ? text : "";
}

/* The number of devices is at 0x88 of btrfs's superblock, which is at 64 KiB. */
static bool is_lone_btrfs(const struct extent *extent)
{
	unsigned char bytes[8];
	uint64_t count = 0;

	if (pread(extent->fd, bytes, sizeof(bytes), (off_t)(extent->offset + 0x10088)) !=
	    (ssize_t)sizeof(bytes))
		return false;
	for (int i = 7; i >= 0; i--)
		count = count << 8 | bytes[i];
	return count == 1;
}

/* Whether it is one of several devices that make something together, or swap, a journal or a cache
 * that belongs to something else. Only a plain file system is not. */
static bool is_member(const struct extent *extent, const char *usage, const char *type)
{
	if (strcmp(usage, "filesystem") != 0)
		return true;
	if (strcmp(type, "btrfs") == 0)
		return !is_lone_btrfs(extent);
	return strcmp(type, "zfs_member") == 0 || strcmp(type, "bcachefs") == 0;
}

/* Made for several hosts at once; this one need not know of the others. */
static bool is_shared(const char *type)
{
	static const char *const types[] = {"gfs",   "gfs2", "ocfs",
					    "ocfs2", "VMFS", "VMFS_volume_member"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

static void add_found(struct use_list *list, const struct extent *extent, blkid_probe probe)
{
	const char *type = value(probe, "TYPE");
	const char *table = value(probe, "PTTYPE");

	if (*table)
		use_add(list, false, "%s carries a partition table (%s)", extent->name, table);
	if (is_shared(type))
		use_add(list, true, SHARED_TEXT, extent->name, type);
	else if (*type && is_member(extent, value(probe, "USAGE"), type))
		use_add(list, true,
			"%s carries the signature of %s: a member of a pool, stripe, mirror, "
			"volume "
			"group, crypt mapping or swap, also when idle",
			extent->name, type);
	else if (*type)
		use_add(list, false, "%s carries a file system (%s)", extent->name, type);
}

/* Every signature, one after the other, also those that others hide and those whose checksum is
 * wrong. */
static int add_all(struct use_list *list, const struct extent *extent, blkid_probe probe,
		   struct error *err)
{
	int found;

	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
							 BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	/* Each call answers the next one; there are not more than kinds that libblkid knows. */
	for (int i = 0; i < 256 && (found = blkid_do_probe(probe)) == 0; i++)
		add_found(list, extent, probe);
	return found < 0 ? cannot_probe(extent, err) : 0;
}

static int add_ambivalent(struct use_list *list, const struct extent *extent, blkid_probe probe,
			  struct error *err)
{
	blkid_reset_probe(probe);
	switch (blkid_do_safeprobe(probe)) {
	case -2:
		use_add(list, true,
			"%s carries signatures of several kinds: wipe the stale ones (wipefs) if "
			"it "
			"is free",
			extent->name);
		return 0;
	case -1:
		return cannot_probe(extent, err);
	default:
		return 0;
	}
}

static int add_zfs(struct use_list *list, const struct extent *extent, struct error *err)
{
	/* libblkid wants several uberblocks and can miss the labels at the end. */
	switch (zfs_label_find(extent->fd, extent->offset, extent->size)) {
	case 1:
		use_add(list, true,
			"%s carries the label of a ZFS pool, imported or not ('zpool labelclear' "
			"if "
			"it is free)",
			extent->name);
		return 0;
	case 0:
		return 0;
	default:
		return cannot_probe(extent, err);
	}
}

static int add_extent(struct use_list *list, const struct extent *extent, struct error *err)
{
	blkid_probe probe = blkid_new_probe();
	int failed = -1;

	errno = 0;
	if (!probe || blkid_probe_set_device(probe, extent->fd, (blkid_loff_t)extent->offset,
					     (blkid_loff_t)extent->size) != 0)
		cannot_probe(extent, err);
	else if (add_all(list, extent, probe, err) == 0 &&
		 add_ambivalent(list, extent, probe, err) == 0 && add_zfs(list, extent, err) == 0)
		failed = 0;
	blkid_free_probe(probe);
	return failed;
}

static int add_partition(struct use_list *list, int fd, const char *name, blkid_partition partition,
			 struct error *err)
{
	char text[96];
	blkid_loff_t size = blkid_partition_get_size(partition) * 512;

	if (size <= 0 || blkid_partition_is_extended(partition))
		return 0;
	snprintf(text, sizeof(text), "partition %d of %s", blkid_partition_get_partno(partition),
		 name);
	const struct extent extent = {
		.fd = fd,
		.offset = (uint64_t)blkid_partition_get_start(partition) * 512,
		.size = (uint64_t)size,
		.name = text,
	};
	return add_extent(list, &extent, err);
}

static int add_partitions(struct use_list *list, int fd, const char *name, struct error *err)
{
	blkid_probe probe = blkid_new_probe();
	blkid_partlist partitions = NULL;
	int failed = 0;

	if (probe && blkid_probe_set_device(probe, fd, 0, 0) == 0 &&
	    blkid_probe_enable_partitions(probe, 1) == 0)
		partitions = blkid_probe_get_partitions(probe);
	int count = partitions ? blkid_partlist_numof_partitions(partitions) : 0;
	for (int i = 0; i < count && !failed; i++)
		failed = add_partition(list, fd, name, blkid_partlist_get_partition(partitions, i),
				       err);
	blkid_free_probe(probe);
	return failed;
}

static uint32_t sector_bytes(int fd)
{
	int bytes = 0;

	return ioctl(fd, BLKSSZGET, &bytes) == 0 && bytes >= 512 ? (uint32_t)bytes : 512;
}

int signature_add(struct use_list *list, int fd, const char *name, struct error *err)
{
	off_t end = lseek(fd, 0, SEEK_END);
	const struct extent whole = {.fd = fd, .size = end > 0 ? (uint64_t)end : 0, .name = name};

	if (add_extent(list, &whole, err) < 0 || add_partitions(list, fd, name, err) < 0)
		return -1;
	/* libblkid knows nothing of what FreeBSD leaves: stripes, mirrors, geli. */
	return use_has_never(list) ? 0
				   : marks_add(list, fd, whole.size, sector_bytes(fd), name, err);
}
