/* What became of hosts, agents and clocks. */
#include "controller/analysis/catalogue.h"

#define OWN "muster's own"

static const struct catalogue_row rows[] = {
	{"HOST_LOST", "INVALID", "A host was lost: its agent, its network or its storage.",
	 "Silent for dead_after, no I/O for 120 s, or not stopped within 30 s.", OWN,
	 "look at the agent's log on that host; what it had sent is kept, the cluster's figures "
	 "leave it out"},
	{"HOST_REFUSED", "INVALID, REFUSE", "A host said no to a phase.",
	 "An agent answered that its lists, the interlock, direct I/O, space or memory do not "
	 "allow "
	 "it. REFUSE before anything was measured, INVALID after.",
	 OWN, "do what the host's own words ask for"},
	{"HOST_BROKEN", "INVALID", "A host's own part of a phase broke.",
	 "A disk that became full, or a worker that met nothing but errors.", OWN,
	 "remove the cause and run again; the figures of this host are of what it did until then"},
	{"HOST_STOPPED", "INVALID", "A host was stopped before the end of a phase.",
	 "With the others, because of a host that is lost or broken or of a person's Ctrl-C; or by "
	 "itself, when it heard nothing of the controller for dead_after.",
	 OWN, "nothing was wrong with its storage: its figures are of what it did until then"},
	{"HOST_FROZEN", "INVALID, WARN",
	 "An agent did not run for a while, so its host did less work.",
	 "In the measured time a thread of it that wakes each ms did not for 1 s or more; INVALID "
	 "where that adds up to over 2 % of the time, or to suspect_after, as where a heartbeat "
	 "was "
	 "as late by its own clock.",
	 OWN,
	 "find out what stopped the agent: a debugger, a frozen cgroup, a suspended machine, no "
	 "memory"},
	{"LATE_HEARTBEAT", "WARN", "Nothing was heard of a host for a while; it came back.",
	 "Silence of over suspect_after and under dead_after.", OWN,
	 "look at the network and at the load of the host"},
	{"INTERRUPTED", "INVALID", "A person ended the run.", "SIGINT or SIGTERM in a phase.", OWN,
	 "run it again and let it end"},
	{"CLOCK_STEP", "INVALID", "A host's clock jumped, or the host slept.",
	 "The exchanges allow no line through the jump, or the agent saw a sleep.",
	 "linear programming bounds on four-stamp exchanges (clock_fit.h)",
	 "find out what set or stopped the host's clock (suspend, migration); run it again"},
	{"SUSPEND_DETECTED", "INVALID", "A host slept in the phase.",
	 "The agent saw it; or the clock that stands still in sleep fell behind the one that does "
	 "not by over 0.5 s.",
	 OWN, "keep the host awake, and run it again"},
	{"CLOCK_RATE_MISMATCH", "INVALID", "A host's clock runs at another rate.",
	 "|time by the host - time by the controller| > 0.5 % of it + 2 round trips.", OWN,
	 "find out which clock source the host uses; its figures are not used"},
	{"INCOMPLETE", "INVALID", "A host that should be in the phase has no figures.",
	 "It is among the hosts, and nothing of it is in what was measured.", OWN,
	 "find out why the host gave no result; what is left is no smaller fleet"},
	{"PHASE_HUNG", "WARN", "A phase never ended, and there is no figure of it.",
	 "It was told so.", OWN,
	 "look at the kernel's log: resets, time-outs, a controller that does not answer"},
	{"CLOCK_UNCERTAIN", "INVALID", "A host's buckets are not known to lie where they belong.",
	 "Bound of a bucket's border > width of a bucket.",
	 "linear programming bounds on four-stamp exchanges (clock_fit.h)",
	 "look at the network between the host and the controller; wider buckets need less"},
	{"START_SKEW", "INVALID", "Workers began further apart than the plan allows.",
	 "Latest first submit - earliest > max_start_skew.", OWN,
	 "give each worker a CPU of its own and the agent the right to SCHED_FIFO"},
	{"INSECURE", "NOTE", "An agent was spoken to without keys beyond the loopback.",
	 "--insecure was typed on both sides.", OWN, "keep such a network to yourself"},
	{"AGENT_NOTE", "NOTE", "What an agent says of its host, in its own words.",
	 "A note of an agent, told once for each host.", OWN, NULL},
	{"COLLECTED", "NOTE", "A host's part of a phase came later, out of its agent's spool.",
	 "`muster collect` fetched it: the agent's own buckets, cut at its own clock as the start "
	 "and "
	 "its amendments had told it. Where no exchange with its clock is near, bounds are "
	 "unknown.",
	 OWN, NULL},
	{"NOT_COLLECTED", "WARN", "A host could not be asked for all that it has of the run.",
	 "`muster collect` did not reach it, it does not give it out, or its file of a phase is "
	 "damaged or has less than had come in the run.",
	 OWN, "collect once more when it is there: what was not fetched stays in its spool"},
	{"FROM_SPOOLS", "WARN", "The result was made without the run's own directory.",
	 "`muster collect --plan`: all figures are of what agents kept, their clocks what the "
	 "controller knew of them each second. Silence of hosts, and how hosts were lost, only "
	 "the "
	 "controller had seen.",
	 OWN, "hold the plan's gates and labels against what the run was meant to show"},
	{"CONTROLLER_LOST", "INVALID", "The controller ended in the middle of a phase.",
	 "The run's journal has the phase's beginning and not its end.", OWN,
	 "`muster run --resume` runs the trial once more"},
	{"RUN_INCOMPLETE", "INVALID", "Phases of the plan were not run.",
	 "Fewer phases in the result than phases times repeat of the plan.", OWN,
	 "`muster run --resume` runs the trials that are missing"},
	{"RESUMED", "NOTE", "The run was interrupted and taken up again.",
	 "`muster run --resume`: whole trials stand, the others were run later. Times go on one "
	 "second behind what was there.",
	 OWN, NULL},
	{"OTHER_BUILD", "NOTE", "A run.json was written by another build of muster.",
	 "It has keys that are not known here, or lacks some that are; schema, hosts, phases and "
	 "what each moved are as this build has them.",
	 OWN, "use the build that wrote it where what is named there matters"},
	{"FILE_LEFT", "WARN", "A file of the run is still on a host.",
	 "The agent could not remove what it had made.", OWN,
	 "remove it by hand when it is no longer wanted"},
	{"NOT_RELEASED", "WARN", "A host did not say that its files are removed.",
	 "No answer to the release within 120 s.", OWN,
	 "look on that host for files named muster.*"},
	{"AMBIGUOUS_PORT", "WARN", "The end of an address without brackets may be meant as a port.",
	 "A host of the plan is an IPv6 address without brackets whose last group is four decimal "
	 "digits.",
	 "RFC 5952, section 6: without brackets nothing tells a port from an address",
	 "put brackets around the address, [2001:db8::1:9000], where it is one; else take the end "
	 "away and give it as port: 9000"},
};

const struct catalogue_part catalogue_hosts = CATALOGUE_PART("Hosts and clocks", rows);
