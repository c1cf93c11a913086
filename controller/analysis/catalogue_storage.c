/* What stands in the way of a figure before it is measured: plan, data, blocks, hardware. */
#include "controller/analysis/catalogue.h"

#define OWN "muster's own"

static const struct catalogue_row rows[] = {
	{"FILE_SMALLER_THAN_RAM", "WARN", "What is read or written fits in memory.",
	 "Size < 2 x RAM, on a buffered phase or where the share of device bytes is unknown; not "
	 "with `cache: allowed`.",
	 "bonnie(1) asks for twice the memory, others for four and five times",
	 "use direct: true, or a size over twice the memory (2x ram)"},
	{"STEADY_STATE_NOT_SHOWN", "NOTE", "A device was not written often enough to tire.",
	 "Write phase, bytes written < size of the device, and no phase before wrote that much.",
	 "SNIA Solid State Storage Performance Test Specification: preconditioning",
	 "fill the device first, and measure then; a fresh one is faster than it will be"},
	{"READ_BEFORE_WRITE", "NOTE", "A device is read that this run has not written.",
	 "Read phase on a device, and no phase before it wrote there.", OWN,
	 "write it first where it may be new or trimmed: blocks that were never written can be "
	 "answered without touching the media"},
	{"COMPRESSED_TEST_FILE", "INVALID", "The test files are smaller than they look.",
	 "Allocated < 90 % of the size, where something beneath compresses or deduplicates; phases "
	 "that read.",
	 OWN, "write them with data that does not compress, and read them again"},
	{"UNWRITTEN_REGIONS", "INVALID", "The test files have holes.",
	 "Allocated < 90 % of the size, and nothing beneath is known to compress; phases that "
	 "read.",
	 OWN, "write every block first"},
	{"FITS_IN_ARC", "WARN", "What is read fits in ZFS's cache.",
	 "Allocated (else the size) < the most that the ARC may hold; phases that read.", OWN,
	 "use a size over twice the memory, of data that does not compress"},
	{"COMPRESSIBLE_PATTERN", "INVALID", "Hardly any of what was written reached the disks.",
	 "Zeros or a repeated pattern, written where something beneath compresses or deduplicates.",
	 OWN, "write data that does not compress"},
	{"LOW_ENTROPY_PATTERN", "WARN", "What was written is easy to make smaller.",
	 "Zeros or a repeated pattern, and nothing beneath is known to make use of it.", OWN,
	 "write data that does not compress"},
	{"BLOCK_NOT_MULTIPLE_OF_LBA", "REFUSE, INVALID", "The device does not take such blocks.",
	 "Direct I/O, and block_size is no multiple of the logical block.", OWN,
	 "use a multiple of the logical block"},
	{"SUB_PHYSICAL_BLOCK", "WARN", "The device has to read before it can write such blocks.",
	 "block_size is no multiple of the physical block; phases that write.", OWN,
	 "use a multiple of the physical block"},
	{"MISALIGNED_STRIPE", "WARN", "The target does not begin on a border of stripe units.",
	 "Offset in bytes modulo stripe_unit > 0.", OWN,
	 "begin the partition at a multiple of the stripe unit, better of the whole stripe"},
	{"MISALIGNED_4K", "WARN", "The target does not begin on a border of 4 KiB.",
	 "Offset in bytes modulo 4,096 > 0.", OWN, "begin the partition at a multiple of 1 MiB"},
	{"STRIPE_GEOMETRY_MISMATCH", "WARN", "The file system was made for another stripe.",
	 "Stripe unit of the file system is not that beneath it, or its width not the unit times "
	 "the disks of data.",
	 OWN, "make the file system with the unit and width of what is beneath it, in bytes"},
	{"INSUFFICIENT_SPACE", "REFUSE, INVALID", "The files will not fit.",
	 "Bytes needed > bytes free.", OWN, "make room, or lower size"},
	{"INSUFFICIENT_INODES", "REFUSE, INVALID", "There are not enough inodes for the files.",
	 "Files needed > inodes free.", OWN, "remove files, or use fewer"},
	{"EXCEEDS_PHYSICAL", "INVALID", "No hardware of this kind is that fast.",
	 "Throughput > 1.10 x min(disks by level, links, controller, the sum of that over what it "
	 "is made of), as far as they are known; disks for sequential phases only. Of a target, "
	 "and of all targets of a host that a link carries.",
	 "rates of RAID levels and of lanes less their line code",
	 "look for a cache, compression, or a fault of counting"},
	{"WRITES_ABSORBED", "WARN", "Random writes are faster than the disks can be.",
	 "Operations a second > 3 x what the disks of the level do (disk_iops; a write costs 2 "
	 "operations in a mirror, 4 with one parity, 6 with two); random phases that write.",
	 "penalties of RAID levels: 1, 2, 4, 6",
	 "run for longer than the write cache of the controller or the disks lasts, or take it as "
	 "the cache's figure"},
	{"BELOW_MODEL", "NOTE", "Less than half of what the hardware should do.",
	 "Throughput < 0.5 x the same bound; sequential phases with 16 I/Os in flight or more.",
	 "rates of RAID levels and of lanes less their line code",
	 "look at link width, a rebuild, write-through, alignment"},
	{"LINK_DEGRADED", "WARN", "A link runs narrower or slower than it could.",
	 "Width or speed as it runs < the most that both ends can.",
	 "PCI Express and SAS: lanes times transfers less the line code",
	 "look at the slot, the card's seat, the cable and the firmware's settings"},
	{"CONTROLLER_SLOW", "WARN", "The same disks are slower on this controller.",
	 "Throughput < 0.8 of the same targets, asked alike, on another controller.",
	 "sgpdd-survey: compare layers",
	 "replace the controller, or look at its errors, firmware and slot"},
};

const struct catalogue_part catalogue_storage = CATALOGUE_PART("Plan, data and hardware", rows);
