/* What a timeline shows. */
#include "controller/analysis/catalogue.h"

static const struct catalogue_row rows[] = {
	{"PERIODIC_STALL", "WARN", "Throughput comes and goes in a rhythm.",
	 "Smallest lag of 5 samples or more that is a local maximum of the autocorrelation with r "
	 ">= max(0.3, 2 x 1.96 / sqrt(n)), r >= 0.9 of the best and r at twice the lag >= 0.7 of "
	 "it; low for 10 % of the period or more; Otsu's eta >= 0.85 is a square wave with duty "
	 "and depth. Five periods.",
	 "autocorrelation (Box & Jenkins), threshold by Otsu 1979",
	 "look for what works in that rhythm: the sync of a transaction group, a journal's commit, "
	 "a write cache that empties; measure over many periods"},
	{"PERIODIC_DIP", "NOTE", "Throughput dips shortly, in a rhythm.",
	 "As PERIODIC_STALL, and low for less than 10 % of the period.",
	 "autocorrelation (Box & Jenkins), threshold by Otsu 1979",
	 "look for what asks the disks in that rhythm: monitoring, a timer, cron; the minimum says "
	 "nothing about the disks alone"},
	{"STEP_DOWN", "WARN", "Throughput fell to another level and stayed there.",
	 "Least-squares binary segmentation; ten samples on each side, a step of 20 % of the "
	 "larger level or more; where there is no period. Twenty samples.",
	 "binary segmentation (Scott & Knott 1974)",
	 "measure for longer: the mean is of no second of the run, and a cache that fills up looks "
	 "like this"},
	{"STEP_UP", "WARN", "Throughput rose to another level and stayed there.", "As STEP_DOWN.",
	 "binary segmentation (Scott & Knott 1974)",
	 "raise ramp, or find out what ended then: a rebuild, another user, a cold cache"},
	{"STALL", "WARN", "Throughput stood still.",
	 "At or under 5 % of the median for 3 s or longer, where there is neither a rhythm nor a "
	 "step. Ten seconds.",
	 "muster's own",
	 "look at the kernel's log and at what the storage did then: a flush, a reset, a failover, "
	 "a transaction group that was synced; measure for longer to see whether it comes back"},
	{"DIPS", "NOTE", "Throughput dipped, in no rhythm.",
	 "At or under half of the median for a second or longer, where there is no stall, rhythm "
	 "or "
	 "step. Ten seconds.",
	 "muster's own", "look for what else was at work on the host or the storage"},
	{"NOT_STEADY", "WARN", "The phase did not reach a steady level.",
	 "Five equal parts of the all-active window: range > 20 % of the mean, or the fitted "
	 "line's "
	 "change over the window > 10 %; the sum and each host. A gate on the phase is "
	 "INCONCLUSIVE.",
	 "SNIA Solid State Storage Performance Test Specification 2.0.1, steady state",
	 "measure for longer, or raise ramp, until five equal parts of the window agree"},
	{"STEADINESS_UNKNOWN", "NOTE", "Whether the phase was steady cannot be said.",
	 "A fifth of the window holds fewer than three periods of the stall.",
	 "SNIA's rule on parts that would alias with the period",
	 "raise runtime to fifteen periods or more"},
	{"TIMELINE_MISSING", "WARN", "A run is judged without its timeline.",
	 "No timeline.csv beside the run.json that `muster judge` reads. Gates that need a steady "
	 "phase are INCONCLUSIVE.",
	 "muster's own", "judge the directory of the run with the timeline.csv that was written"},
};

const struct catalogue_part catalogue_timelines = CATALOGUE_PART("Timelines", rows);
