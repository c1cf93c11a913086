/* spool.h - the agent's own directory, of which one process at a time is the owner. */
#ifndef MUSTER_AGENT_SPOOL_H
#define MUSTER_AGENT_SPOOL_H

#include "common/error.h"

struct spool {
	char *path;
	int directory; /* open, for fsync and *at calls */
	int lock;
};

/* Makes the directory where it is absent, parents too (mode 0700), and takes the lock `lock` in it.
 * Where another process has it, the error names that process. One that is not the agent's own or
 * root's, or that others may write to, is refused (ERROR_SETUP). */
int spool_open(struct spool *spool, const char *path, struct error *err);
void spool_close(struct spool *spool);

#endif
