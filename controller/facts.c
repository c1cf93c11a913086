#include "controller/facts.h"

#include <stddef.h>

#include "common/text.h"

static const char *const fill_names[] = {"unknown", "random", "zeros", "repeating", NULL};
const char *const fact_level_names[] = {"unknown", "single", "raid0",  "raid1",  "raid10", "raid5",
					"raid6",   "raidz1", "raidz2", "raidz3", NULL};
static const char *const kind_names[] = {"tunable", "members", "numa", NULL};

static const struct record_row link_rows[] = {
	{MEMBER(struct fact_link, link), .required = true, .doc = "what reports call it"},
	{MEMBER(struct fact_link, gt_per_s), .doc = "GT/s (PCIe) or Gb/s (SAS: 3, 6, 12, 22.5; "
						    "Ethernet, with mtu) of a lane as it runs"},
	{MEMBER(struct fact_link, gt_per_s_most), .doc = "that both ends could do"},
	{MEMBER(struct fact_link, width), .required = true, .max = 64,
	 .doc = "lanes as it runs; 0: none"},
	{MEMBER(struct fact_link, width_most), .max = 64, .doc = "lanes that there could be"},
	{MEMBER(struct fact_link, mtu), .max = 65535,
	 .doc = "bytes of an Ethernet packet, such as 1500 or 9000: the link carries TCP over "
		"Ethernet, "
		"and its lanes are the links of a bond"},
	{MEMBER(struct fact_link, ports), .fallback = "1", .min = 1, .max = 1024,
	 .doc = "how many links are like this"},
	{MEMBER_LIST(struct fact_link, targets, name_table),
	 .doc = "the targets whose bytes all go over it"},
};
const struct record_table fact_link_table =
	RECORD_TABLE(struct fact_link, "link", link_rows,
		     "A link between disks and memory, or to storage on a network, as it is and as "
		     "it could be.");

static const struct record_row storage_rows[] = {
	{MEMBER(struct fact_storage, target), .required = true, .doc = "the target's name"},
	{MEMBER(struct fact_storage, level), .names = fact_level_names, .fallback = "unknown",
	 .doc = "how its disks are put together"},
	{MEMBER(struct fact_storage, fill), .names = fill_names, .fallback = "unknown",
	 .doc = "what was written: zeros and a repeated pattern can be compressed away"},
	{MEMBER(struct fact_storage, disks), .max = 100000, .doc = "how many, parity included"},
	{MEMBER(struct fact_storage, disk_rate), .unit = UNIT_RATE,
	 .doc = "that one of them can do at most, as `120 MB/s`"},
	{MEMBER(struct fact_storage, disk_iops),
	 .doc = "random operations a second that one of them can do, one at a time"},
	{MEMBER(struct fact_storage, link_rate), .unit = UNIT_RATE,
	 .doc = "that the link can carry at most"},
	{MEMBER(struct fact_storage, controller_rate), .unit = UNIT_RATE,
	 .doc = "that the controller can do at most"},
	{MEMBER(struct fact_storage, reference),
	 .doc = "the name of another reading of the same disks, such as `scrub`"},
	{MEMBER(struct fact_storage, reference_rate), .unit = UNIT_RATE,
	 .doc = "its rate: what the media can do"},
	{MEMBER(struct fact_storage, device_size), .unit = UNIT_BYTES,
	 .doc = "of the whole device, of which a file is a part"},
	{MEMBER(struct fact_storage, logical_block), .unit = UNIT_BYTES,
	 .doc = "the smallest I/O that the device takes"},
	{MEMBER(struct fact_storage, physical_block), .unit = UNIT_BYTES,
	 .doc = "what it writes at once"},
	{MEMBER(struct fact_storage, offset), .unit = UNIT_BYTES,
	 .doc = "where the target begins on the device beneath"},
	{MEMBER(struct fact_storage, has_offset), .computed = true, .doc = "offset was written"},
	{MEMBER(struct fact_storage, stripe_unit), .unit = UNIT_BYTES,
	 .doc = "bytes on one disk before the next"},
	{MEMBER(struct fact_storage, layout_unit), .unit = UNIT_BYTES,
	 .doc = "the stripe unit that the file system was made for"},
	{MEMBER(struct fact_storage, layout_width), .unit = UNIT_BYTES,
	 .doc = "the stripe width that it was made for"},
	{MEMBER(struct fact_storage, compression), .fallback = "false",
	 .doc = "true: something beneath compresses"},
	{MEMBER(struct fact_storage, dedup), .fallback = "false",
	 .doc = "true: something beneath deduplicates"},
	{MEMBER(struct fact_storage, file_size), .unit = UNIT_BYTES,
	 .doc = "of the test files together, as they look"},
	{MEMBER(struct fact_storage, allocated), .unit = UNIT_BYTES,
	 .doc = "what they take on the devices"},
	{MEMBER(struct fact_storage, files), .fallback = "1", .min = 1,
	 .doc = "how many files the test makes"},
	{MEMBER(struct fact_storage, free_bytes), .unit = UNIT_BYTES, .doc = "free for new files"},
	{MEMBER(struct fact_storage, has_free_bytes), .computed = true, .doc = "was written"},
	{MEMBER(struct fact_storage, free_inodes), .doc = "free for new files"},
	{MEMBER(struct fact_storage, has_free_inodes), .computed = true, .doc = "was written"},
};
const struct record_table fact_storage_table =
	RECORD_TABLE(struct fact_storage, "storage", storage_rows,
		     "What stands beneath a target. What is left out is not known, and no rule "
		     "asks for it.");

static const struct record_row point_rows[] = {
	{MEMBER(struct sweep_point, setting), .required = true,
	 .doc = "the tunable's value, the number of members at work, or the node"},
	{MEMBER(struct sweep_point, op),
	 .doc = "`read`, `write` or any other word: points of one word are one curve"},
	{MEMBER(struct sweep_point, trial), .max = 100000,
	 .doc = "which repeat; four or more of each setting prove a knee"},
	{MEMBER(struct sweep_point, bytes), .doc = "moved"},
	{MEMBER(struct sweep_point, seconds), .doc = "in which"},
	{MEMBER(struct sweep_point, bytes_per_s), .doc = "where the two are not known"},
	{MEMBER(struct sweep_point, operations_per_s),
	 .doc = "with block_size held against the bytes; alone, what is compared"},
};
const struct record_table sweep_point_table =
	RECORD_TABLE(struct sweep_point, "point", point_rows,
		     "One measurement with one setting: a line of CSV.");

static const struct record_row sweep_rows[] = {
	{MEMBER(struct fact_sweep, sweep), .required = true, .doc = "what reports call it"},
	{MEMBER(struct fact_sweep, kind), .names = kind_names, .fallback = "tunable",
	 .doc = "settings of a tunable; how many members were at work at once, with the rate of "
		"all together; or which NUMA node the workers were bound to"},
	{MEMBER(struct fact_sweep, table), .doc = "CSV of its points, beside this file"},
	{MEMBER(struct fact_sweep, knee_percent), .unit = UNIT_PERCENT, .fallback = "5%", .max = 50,
	 .doc = "a setting that is worse by less is as good as the best"},
	{MEMBER(struct fact_sweep, min_window), .unit = UNIT_NS, .fallback = "1s",
	 .doc = "a point measured for less is TOO_SHORT"},
	{MEMBER(struct fact_sweep, block_size), .unit = UNIT_BYTES, .doc = "of an operation"},
	{MEMBER(struct fact_sweep, limit_rate), .unit = UNIT_RATE,
	 .doc = "members: what all of them share can carry at most, such as a link"},
	{MEMBER(struct fact_sweep, one_generator), .fallback = "false",
	 .doc = "members: true where the same workers served all of them in turn"},
	{MEMBER(struct fact_sweep, numa_node), .doc = "numa: the node that the system names"},
	{MEMBER(struct fact_sweep, has_numa_node), .computed = true, .doc = "was written"},
	{MEMBER_LIST(struct fact_sweep, points, sweep_point_table),
	 .doc = "its points, where they stand here instead"},
};
const struct record_table fact_sweep_table = RECORD_TABLE(
	struct fact_sweep, "sweep", sweep_rows, "The same thing measured with several settings.");

static const struct record_row hardware_rows[] = {
	{MEMBER_LIST(struct hardware, storage, fact_storage_table), .keyed = true,
	 .doc = "what stands beneath targets, by name"},
	{MEMBER_LIST(struct hardware, links, fact_link_table), .keyed = true,
	 .doc = "between disks and memory, by name"},
};
const struct record_table hardware_table =
	RECORD_TABLE(struct hardware, "hardware", hardware_rows,
		     "What a host's hardware is and allows. Of it come ceilings that no figure can "
		     "exceed, and warnings of what does not reach them.");

static const struct record_row facts_rows[] = {
	{MEMBER_LIST(struct facts, storage, fact_storage_table), .keyed = true,
	 .doc = "what stands beneath targets, by name"},
	{MEMBER_LIST(struct facts, links, fact_link_table), .keyed = true, .doc = "by name"},
	{MEMBER_LIST(struct facts, sweeps, fact_sweep_table), .keyed = true, .doc = "by name"},
};
const struct record_table facts_table =
	RECORD_TABLE(struct facts, "facts", facts_rows,
		     "What is known of storage beside what was measured on it.");

struct hardware facts_hardware(const struct facts *facts)
{
	if (!facts)
		return (struct hardware){0};
	return (struct hardware){.storage = facts->storage,
				 .storage_count = facts->storage_count,
				 .links = facts->links,
				 .links_count = facts->links_count};
}

const struct fact_storage *hardware_storage(const struct hardware *hardware, const char *target)
{
	for (uint32_t i = 0; i < hardware->storage_count; i++)
		if (text_is(hardware->storage[i].target, target))
			return &hardware->storage[i];
	return NULL;
}
