/* keys.h - who this agent is, and which controllers it lets in. */
#ifndef MUSTER_AGENT_KEYS_H
#define MUSTER_AGENT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/config.h"
#include "common/error.h"
#include "proto/key.h"

struct keys {
	bool secured; /* false: whoever reaches the port is let in */
	struct key_pair own;
	unsigned char (*allowed)[KEY_SIZE];
	uint32_t count;
};

/* From the files that the configuration names; none named: not secured. */
int keys_read(struct keys *keys, const struct agent_config *config, struct error *err);

/* From the first line on `fd`: this agent's secret, a blank, its only controller's public key. At
 * most 10 s; nothing behind the line is read. */
int keys_receive(struct keys *keys, int fd, struct error *err);

void keys_release(struct keys *keys);

#endif
