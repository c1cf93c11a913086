/* What a sweep shows, and numbers that came from elsewhere. */
#include "controller/analysis/catalogue.h"

#define OWN "muster's own"

static const struct catalogue_row rows[] = {
	{"KNEE", "NOTE", "The setting from which on more does not help.",
	 "The smallest setting that is statistically equal to the best: upper 95 % bound of the "
	 "loss (Hodges & Lehmann) <= `knee`, 5 % unless set. Without four repeats the smallest "
	 "with "
	 ">= 95 % of the best, not proven. Three settings.",
	 "Hodges & Lehmann 1963; equivalence instead of the end of gains",
	 "use this setting; repeat the sweep four times where that is not proven"},
	{"FLAT_SWEEP", "NOTE", "No setting makes a difference.", "(max - min) / max < `knee`.", OWN,
	 "leave it as it is"},
	{"FEW_POINTS", "NOTE", "A curve of a few points.", "Fewer than five settings.", OWN,
	 "add settings between and beyond them"},
	{"UNEQUAL_VOLUME", "WARN", "Points of a sweep moved different amounts in different times.",
	 "Largest amount > 1.1 x the smallest, and longest time > 1.1 x the shortest.", OWN,
	 "move as much in each point, or measure each for as long"},
	{"SWEEP_INVALID", "INVALID", "The points of a sweep cannot be held against each other.",
	 "Any of its points is TOO_SHORT, or they are of UNEQUAL_VOLUME.", OWN,
	 "measure every point for a second at least, and all alike"},
	{"GENERATOR_MAY_LIMIT", "NOTE, WARN",
	 "What makes the load may be the limit, not the storage.",
	 "Rate x mean latency < 0.95 of what workers keep in flight (1,000 operations, not where "
	 "data "
	 "is verified): NOTE. Members served in turn by the same workers: total / members alone < "
	 "0.8 WARN, < 0.95 NOTE.",
	 "Little 1961",
	 "give each target workers of its own, or use more of them and a deeper queue"},
	{"NUMA_EFFECT", "WARN", "It matters on which node the workers run.",
	 "Slowest node < 0.8 of the fastest.", OWN,
	 "do not pin workers, or pin them to the node that was measured to be faster"},
	{"NUMA_NODE_CONTRADICTED", "WARN", "The faster node is not the one that the system names.",
	 "As NUMA_EFFECT, and the fastest node is another.", OWN,
	 "trust the measurement; look at power states and the firmware's table"},
	{"VALUES_DISAGREE", "NOTE", "Two tellings of one figure are not the same.",
	 "More than 1 % apart: bytes over time, the rate, operations times block size. Of a phase, "
	 "more than 10 % apart, it is a WARN, and gates on its rates are INCONCLUSIVE.",
	 OWN, "find out which of them was rounded or counts something else"},
	{"PHASE_VOLUME_MISMATCH", "NOTE", "Read and write did not move the same amount.",
	 "Both of a fixed amount, one > 1.1 x the other.", OWN,
	 "read what was written, all of it, to hold one against the other"},
	{"COUNTER_WRAP", "NOTE", "A counter went beyond 2^32 and began again.",
	 "After < before < 2^32, and the growth is less than 2^31.", OWN, NULL},
	{"COUNTER_BACKWARDS", "NOTE", "A counter of a device is smaller than before.",
	 "After < before, where that is no COUNTER_WRAP. Whether the bytes moved on the device is "
	 "not "
	 "known.",
	 OWN,
	 "look whether before and after are in each other's column, and whether the host was "
	 "booted "
	 "or the device replaced meanwhile"},
	{"TIME_UNKNOWN", "NOTE", "A rate of which it is not known how long it was held.",
	 "Neither start and end, nor seconds, nor an amount was told.", OWN,
	 "give start_s and end_s, or seconds"},
	{"NO_TIMELINE", "NOTE", "Only totals of the hosts are known.",
	 "No timeline was told, and there are several hosts.", OWN,
	 "give a timeline where it matters what was moved while all were at work"},
	{"TIMELINE_CUT", "NOTE", "Lines of a timeline lie too far from its beginning.",
	 "More than 5,000,000 of its buckets after the first.", OWN,
	 "look at the times of the table, or set bucket"},
	{"TIMELINE_GAPS", "NOTE", "A timeline has no line for some of its time.",
	 "More than 1.75 times as long from a line to the next of its host and target as from most "
	 "of "
	 "those around it, or as `bucket` says; for what has no line nothing counts as moved.",
	 OWN,
	 "give a line of 0 where nothing moved; where it was only not recorded, a "
	 "stall that is found there is none"},
};

const struct catalogue_part catalogue_sweeps = CATALOGUE_PART("Sweeps and numbers", rows);
