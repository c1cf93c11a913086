/* What an agent says no to by a name of its own; HOST_REFUSED is all the rest. Its words are the
 * evidence. */
#include "controller/analysis/catalogue.h"

#define OWN "muster's own"
#define NO  "REFUSE, INVALID" /* before anything was measured, and after */

static const struct catalogue_row rows[] = {
	{"PROTOCOL_MISMATCH", "REFUSE", "An agent is of another build than the controller.",
	 "The fingerprint of all message tables differs. Nothing is started on any host, exit 6.",
	 OWN, "install the same build on both"},
	{"NO_SUCH_DEVICE", NO, "The device of a target is not there.",
	 "Nothing has that name on the host. No file is made in its place.", OWN,
	 "look for its name on that host, best by identity (/dev/disk/by-id); the nearest one is "
	 "named where there is one"},
	{"NOT_A_DEVICE", NO, "What stands there is no disk.",
	 "A regular file, a directory or another kind of device under the name of a device.", OWN,
	 "remove the stray file where there should be a device, or name a file with 'path'"},
	{"HIDDEN", NO, "The device is one path of a multipath disk.",
	 "The system hides it (sysfs: hidden) and gives it no name in /dev.", OWN,
	 "name the disk that it belongs to: nvme0n1 for nvme0c0n1"},
	{"NO_MEDIUM", NO, "There is nothing in the drive.",
	 "A removable device of 0 bytes, or one that does not open for that.", OWN,
	 "put a medium into it, or leave it out"},
	{"ZERO_SIZE", NO, "The device has no bytes.",
	 "0 bytes, and not removable: a loop device without a file, a disk that is not attached.",
	 OWN, "attach what should be there, or leave it out"},
	{"TARGET_IN_USE", NO, "The target may not be written to, whatever the plan says.",
	 "It, a part of it or what it is a part of is mounted, swap, a member of something, the "
	 "system's disk, held, or open for writing in another process.",
	 OWN, "name another device, or give this one up on that host"},
	{"TARGET_HAS_DATA", NO, "There is something on the device, and it is not armed.",
	 "A signature or partition table was found, and `destroy` does not name the device's "
	 "identity.",
	 OWN, "where it may go, put the line that the host's words have into the target"},
	{"NOT_ARMED", NO, "A device is written to that the plan does not name for it.",
	 "`destroy` of the target is not the device's identity; nothing was found on it.", OWN,
	 "where it may be overwritten, put the line that the host's words have into the target"},
	{"DIRECT_REFUSED", NO, "Direct I/O is not possible on a target.",
	 "The file system refuses it or is known not to honour it; asked before any I/O of the "
	 "phase, with direct: true.",
	 OWN,
	 "use a file system that has it; direct: prefer goes on buffered and marks the figures"},
	{"DISK_FULL", "INVALID", "The space of a target ran out.",
	 "ENOSPC or EDQUOT in the phase, its lay-out or its sync, whatever was free before.", OWN,
	 "make room for all that the phase writes, or lower size; a quota or few inodes look "
	 "alike"},
	{"PARTIAL", "NOTE", "A host's figures are of a part of the phase.",
	 "Its disk was full before the end.", OWN, NULL},
};

const struct catalogue_part catalogue_refusals = CATALOGUE_PART("Refused by a host", rows);
