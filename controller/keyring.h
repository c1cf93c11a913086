/* keyring.h - which key each host of a fleet has to prove, and which one is shown to it.
 *
 * A host beyond the loopback is spoken to with keys, or --insecure was typed. One on the loopback
 * is when its entry in the plan names a key. Agents that muster starts itself get keys for this
 * once, over the pipe that is their standard input. */
#ifndef MUSTER_CONTROLLER_KEYRING_H
#define MUSTER_CONTROLLER_KEYRING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "controller/plan.h"
#include "proto/key.h"

struct keyring_host {
	bool secured;               /* spoken to with keys */
	bool insecure;              /* beyond the loopback and without */
	const struct key_pair *own; /* shown to it */
	struct key_pair agent;      /* public: that it has to prove; secret: a local one's only */
	char *path;                 /* of its public key; NULL: a one-time key */
};

struct keyring {
	struct key_pair own, once;  /* once: shown to local agents */
	char *own_path;             /* NULL: this controller has no key */
	struct keyring_host *hosts; /* as in plan_hosts */
	uint32_t count;
};

/* `own` is --key's, NULL: the plan's fleet.key. -1 (ERROR_USAGE) with the host that has no key and
 * what to type, or where --key is of use for none. Zeroed before, released after, also on failure.
 */
int keyring_read(struct keyring *keyring, const struct plan *plan, const struct plan_hosts *hosts,
		 const char *own, bool insecure, struct error *err);
void keyring_release(struct keyring *keyring);

#endif
