/* Whether there is enough of it, and whether the I/O itself went well. */
#include "controller/analysis/catalogue.h"

static const struct catalogue_row rows[] = {
	{"TOO_SHORT", "INVALID", "The phase was measured for too short a time.",
	 "All-active window (timed phases) or span (fixed amounts) < min_window, 30 s unless the "
	 "plan sets it.",
	 "IO500 and SPECstorage demand a least time for the same reason",
	 "raise runtime or size; or lower min_window where a short look will do"},
	{"OVERLAP_TOO_SMALL", "INVALID", "The hosts were hardly at work at the same time.",
	 "Time from the latest first I/O to the earliest last one < 60 % of the longest host's; "
	 "timed phases.",
	 "stonewalling as in IOR (-D), with a limit of our own",
	 "find out which target started late or ended early: first_io_ns and last_io_ns in "
	 "run.json"},
	{"SUM_OF_AVERAGES_GAP", "WARN, NOTE",
	 "Adding up the hosts' own rates gives more than was there.",
	 "Sum of the hosts' averages / headline > 1.05; NOTE where a straggler is named, which is "
	 "why.",
	 "rates of different times do not add (Hoefler & Belli, SC'15, on summarising rates)",
	 "quote the headline; the sum of averages adds rates of different times"},
	{"NO_IO", "INVALID", "A target completed nothing.",
	 "No operation outside the ramp on a host that completed the phase.", "muster's own",
	 "raise runtime or size, or lower ramp or block_size"},
	{"IO_ERRORS", "INVALID, NOTE", "Operations failed.",
	 "Failed operations > 0 outside the ramp; NOTE where a gate on errors allows as many.",
	 "IOR and IO500 make a run with errors invalid",
	 "look at the kernel's log of that host; a gate on errors says how many are acceptable"},
	{"RATE_NOT_REACHED", "WARN", "A target moved less than the rate that it was held to.",
	 "Throughput, or operations a second, of the target < 95 % of the phase's rate.",
	 "SNIA's tests take a load as achieved within 5 % of what was asked for",
	 "where it has to be reached take a deeper queue, more workers or a lower rate; else read "
	 "its response times as those of a queue that grew"},
	{"MISCOMPARE", "INVALID", "What was read is not what was written.",
	 "One sector or more differs from what this run wrote there; verify: true.", "muster's own",
	 "do not trust what this storage gives back; look at the evidence, the kernel's log, and "
	 "every layer between: cache, controller, cable, memory"},
};

const struct catalogue_part catalogue_windows = CATALOGUE_PART("Windows and I/O", rows);
