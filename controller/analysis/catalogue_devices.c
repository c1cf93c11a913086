/* Whether the bytes moved on the devices. */
#include "controller/analysis/catalogue.h"

static const struct catalogue_row rows[] = {
	{"CACHE_SERVED", "INVALID, NOTE", "What was read came from memory, not from the devices.",
	 "Device bytes / engine bytes < 0.95 over the group of targets that share devices; NOTE "
	 "with cache: allowed. No finding where the devices are not known.",
	 "bonnie(1) and IOR's manual warn of it; here it is measured by the devices' counters",
	 "use direct: true or a size over twice the memory; cache: allowed where a cached figure "
	 "is wanted"},
	{"WRITE_NOT_ON_DEVICE", "WARN",
	 "Part of what was written was not on the devices at the "
	 "end.",
	 "Device bytes / engine bytes < 0.95 over the group of targets that share devices; writes.",
	 "IOR's -e counts the sync for the same reason",
	 "use direct: true or a size over twice the memory, and sync: end; where those are set, "
	 "something beneath compresses, deduplicates or holds back what is written"},
	{"DEVICE_MOVED_MORE", "WARN", "The devices did more than they were asked for.",
	 "Device bytes / engine bytes > 1.10.", "muster's own",
	 "look for others at work on the device, read-ahead, copies that a mirror or parity makes, "
	 "and what the file system writes beside small I/O that is synced: journal, metadata, "
	 "copies"},
	{"NO_DEVICE_COUNTERS", "NOTE", "Whether the bytes moved on devices cannot be said.",
	 "The devices beneath a target are not known, or they count nothing.", "muster's own",
	 NULL},
	{"TOPOLOGY_UNKNOWN", "NOTE", "What a target's device is made of cannot be said.",
	 "The file's device has a number that the host's /sys does not know, as in a container "
	 "without it.",
	 "muster's own", "give the agent the host's /sys, or run it beside the container"},
	{"BUFFERED_PHASE", "WARN", "I/O went through the page cache.",
	 "direct: false, or direct: prefer where direct I/O is not possible.", "open(2), O_DIRECT",
	 "use direct: true on a file system that has it"},
	{"WRITTEN_THROUGH", "NOTE", "Direct I/O was accepted, and may go through memory.",
	 "The file system is one known to copy (btrfs).", "the file systems' documentation", NULL},
	{"RAM_TARGET", "WARN, REFUSE, INVALID", "The target is held in memory.",
	 "tmpfs, zram, a loop device over tmpfs; allow_ram let it pass.", "muster's own",
	 "name a place on a disk; with allow_ram, say nothing about one with these figures"},
};

const struct catalogue_part catalogue_devices = CATALOGUE_PART("Devices and cache", rows);
