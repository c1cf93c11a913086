/* safety.h - may this target be touched: the agent's lists, the interlock, and whose file it is.
 *
 * Decides only; opens nothing for writing. Reasons are whole sentences for the person at the
 * controller, with the way out. Rules: docs/DESIGN.md, "Safety". */
#ifndef MUSTER_AGENT_SAFETY_H
#define MUSTER_AGENT_SAFETY_H

#include <stdbool.h>

#include "agent/config.h"
#include "agent/made_files.h"
#include "agent/file_place.h"
#include "agent/platform/platform.h"
#include "common/error.h"
#include "proto/phase.h"

/* The file of a `path` target: `<directory>/muster.<host>.<target>.data` where the path is a
 * directory, else the path itself; relative ones under the scratch directory. Symbolic links in
 * the directory are resolved (realpath) before it is held against allow_paths, and "name that is
 * not listed" is refused. The caller frees `file`, which is without links, and closes `place`, its
 * directory: what is done with the file is done there, whatever comes to stand at its path. */
int safety_file(const struct agent_config *config, const struct made_files *files,
		const struct target *target, const char *host, char **file,
		struct file_place *place, struct error *err);

/* A device target: listed, there, a block device or raw disk (not a regular file in /dev), not
 * empty; when `write`, armed with its identity and held by nothing. All of one descriptor, also
 * `device`, which tells what was looked at: what is opened later has to be that. `*note` gets a
 * warning to report, the caller's to free, or NULL (reading a device in use). `openers` is the
 * look's, for all of its devices. */
struct safety_device {
	struct platform_storage storage;
	char identity[PLATFORM_IDENTITY_SIZE]; /* empty: it has none */
	char *data; /* what is on one that may be written to: the caller's to free; NULL: else */
};
int safety_device(const struct agent_config *config, const struct target *target, bool write,
		  struct platform_openers *openers, struct safety_device *device, char **note,
		  struct error *err);

#endif
