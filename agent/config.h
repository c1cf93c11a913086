/* config.h - agent.yaml: what a controller may ask of this host. Nothing listed, nothing allowed.
 */
#ifndef MUSTER_AGENT_CONFIG_H
#define MUSTER_AGENT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/record.h"
#include "common/yaml_tree.h"

struct agent_config {
	char *listen;             /* tcp://ADDRESS:PORT */
	struct name *allow_paths; /* directories under which muster may make files */
	uint32_t allow_paths_count;
	struct name *allow_devices; /* devices that may be read, and written when armed */
	uint32_t allow_devices_count;
	char *key;                /* its own secret key; NULL: none */
	struct name *controllers; /* public keys of those that it lets in */
	uint32_t controllers_count;
	char *user;           /* that it becomes; NULL: it stays who started it */
	char *spool;          /* what must survive a crash: the list of files made */
	char *scratch;        /* relative target paths start here; NULL: there are none */
	uint64_t memory;      /* most bytes of I/O buffers */
	uint64_t spool_limit; /* most bytes of results in the spool */
	uint64_t spool_keep;  /* ns after which results that nobody collected are removed */
};

extern const struct record_table agent_config_table;

/* All errors of the file are in `errors`; answers whether there were none. The spool and scratch
 * directories must be absolute, as must each allowed path. Who could change the file would say
 * which disks are overwritten: it has to be root's or the agent's own, and no other's to write. */
bool agent_config_read(struct agent_config *config, const char *path, struct yaml_errors *errors);
/* From the bytes of such a file. */
bool agent_config_parse(struct agent_config *config, const char *bytes, size_t size,
			struct yaml_errors *errors);

#endif
