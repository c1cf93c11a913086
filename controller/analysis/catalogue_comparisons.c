/* What is found by holding hosts, workers and phases against each other. */
#include "controller/analysis/catalogue.h"

static const struct catalogue_row rows[] = {
	{"OUTLIER", "WARN", "A host is unlike the others of its class.",
	 "|0.6745 (x - median) / MAD| > 3.5 and |x / median - 1| > 10 %, median and MAD of the "
	 "other hosts; under five hosts the 10 % alone. A class: labels, system, file systems. "
	 "Three hosts.",
	 "Iglewicz & Hoaglin 1993, with a relative floor against false alarms",
	 "look at its disks, links and controller, and at what else runs there; run again to see "
	 "whether it is the same host"},
	{"STRAGGLER", "WARN", "With a fixed amount for each, one host made the others wait.",
	 "t / median > 1.5, or 1 - mean / max > 10 %. Three hosts.",
	 "the limit is customary for MapReduce",
	 "use a runtime where a rate is wanted: with fixed amounts the last one decides"},
	{"STRAGGLER_TAIL", "WARN", "With a fixed amount for each, one worker made the others wait.",
	 "As STRAGGLER, among the workers of a host. Three workers.",
	 "the limit is customary for MapReduce",
	 "use a runtime where a rate is wanted: with fixed amounts the last one decides"},
	{"SHARED_LIMIT", "WARN, NOTE", "Targets are slower together than each by itself.",
	 "Rate together / sum of the rates alone: < 0.8 WARN, < 0.95 NOTE. Phases that ask alike; "
	 "two targets.",
	 "Lustre's sgpdd-survey and obdfilter-survey compare layers in this way",
	 "look for what they share: a disk, a link, a controller, an expander, a processor; more "
	 "workers do not help"},
	{"STRIPE_LOSS", "WARN, NOTE", "A stripe is slower than its parts.",
	 "Rate of the whole / rate of its parts together (else their sum): < 0.8 WARN, < 0.95 "
	 "NOTE. Phases that ask alike.",
	 "Lustre's sgpdd-survey and obdfilter-survey compare layers in this way",
	 "compare stripe unit and block size, and give it at least as many I/Os in flight as its "
	 "parts had"},
	{"SLOW_MEMBER", "WARN",
	 "A member of a stripe, mirror or controller is slower than its like.",
	 "Rate of the member / median of the others < 0.8, in the phase that runs all of them, or "
	 "else in those that run each alone. Three members, named by `stripe` or `members`.",
	 "acceptance of LUNs in Lustre's sgpdd-survey goes by peers, not by absolute limits",
	 "look at that disk: SMART, its errors, its link's speed, its slot; replace it or leave it "
	 "out"},
	{"MEMBER_SPREAD", "NOTE", "Members of a stripe, mirror or controller differ a little.",
	 "As SLOW_MEMBER, where the slowest is at 0.8 to 0.9.",
	 "10 to 15 % between like LUNs is customary in acceptance",
	 "keep it in mind: a stripe goes by its slowest member"},
	{"READ_SLOWER_THAN_WRITE", "WARN", "Reads are slower than writes of the same data.",
	 "Sequential read < 0.8 x sequential write (its sync in the time), same targets and "
	 "block size.",
	 "muster's own",
	 "try more workers, a deeper queue or more read-ahead, and hold the read against that of "
	 "the devices beneath"},
	{"TRIALS_CHANGE", "WARN", "From some trial on the figures are others.",
	 "The split of the trials' throughput that parts them best: Student's t, p <= 0.001, five "
	 "trials after it, means 5 % apart.",
	 "E-divisive means (Matteson & James 2014), with a t-test in place of permutations",
	 "find out what changed then; figures over all trials mix two states"},
	{"TRIALS_DRIFT", "WARN", "The figures move from trial to trial.",
	 "The line fitted to the trials' throughput moves by more than 10 % of their mean from the "
	 "first to the last, p <= 0.01. Four trials.",
	 "SNIA's limit for the slope inside a measurement, applied to trials",
	 "precondition (`op: fill`) until trials are alike, or start each from the same state"},
	{"TRIALS_SPREAD", "NOTE", "The figures differ much from trial to trial.",
	 "(largest - smallest) / median of the trials' throughput > 10 %.", "muster's own",
	 "raise runtime or repeat before small differences are believed"},
};

const struct catalogue_part catalogue_comparisons = CATALOGUE_PART("Hosts and layers", rows);
