/* part.h - one file, device or null that I/O goes to: found, measured, opened.
 *
 * A target that is no stripe is one part; a stripe is over several. A part is opened once in a
 * phase, also when two targets use it. First all parts are found, which changes nothing on the
 * host; when every check of the phase has passed they are opened, which makes missing files. */
#ifndef MUSTER_AGENT_PART_H
#define MUSTER_AGENT_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/config.h"
#include "agent/made_files.h"
#include "agent/platform/platform.h"
#include "agent/written.h"
#include "common/error.h"
#include "proto/messages.h"

enum part_kind { PART_FILE, PART_DEVICE, PART_NULL };

struct part {
	const struct target *target; /* lent */
	enum part_kind kind;
	char *path;              /* of the file or device; NULL for null */
	struct file_place place; /* of a file; its name is in `path` */
	char *identity;          /* of a device, as it was found */
	char *data;              /* found on a device that is written to */
	char *known_as; /* from run to run (known_data.h): the path, of a device its identity */
	bool is_absent;
	bool is_changed;          /* the phase writes to it, or it is laid out */
	bool is_unsynced;         /* it wrote, and nothing has brought that to the medium */
	bool is_in_doubt;         /* a sync failed: what was written before may be gone */
	uint64_t allocated_bytes; /* of a file, before the phase */
	uint64_t extent_bytes;    /* that I/O may use */
	uint64_t used_bytes;      /* the phase touches [0, used_bytes) at most */
	uint64_t unit_bytes; /* all pieces begin and end at multiples; 0: no stripe is over it */
	struct platform_storage storage; /* of a device when found, of a file when opened */
	enum target_io io;
	int fd; /* -1: null, or not open */
};

/* What is decided by; all lent. */
struct part_context {
	const struct phase *phase;
	const char *host;
	const struct agent_config *config;
	struct made_files *files;
	struct written *written;
	struct ready *ready;              /* gets the notes */
	struct platform_openers *openers; /* of the devices that are looked at */
};

/* Appends a warning for the report. */
void part_note(const struct part_context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the target may be used, where it is and how large. Nothing is made or changed. `part`
 * is zeroed before and released after, also on failure. */
int part_find(struct part *part, const struct target *target, const struct part_context *context,
	      struct error *err);

/* Of what part_open would refuse as much as can be known without making or opening anything. */
int part_look(struct part *part, const struct part_context *context, struct error *err);

/* Opens it for the phase's op, making a missing file; checks that it is what was found, that it is
 * not memory, and that direct I/O is possible where asked for. */
int part_open(struct part *part, const struct part_context *context, struct error *err);

/* Has what was written brought to the medium; 0, or -1 with errno. Null: nothing to do. */
int part_sync(const struct part *part, enum phase_sync_call call);

/* The last close of a device, or of a file on NFS, writes what is dirty and can take as long. */
void part_close(struct part *part);

/* Closes it, too, when it is open. */
void part_release(struct part *part);

#endif
