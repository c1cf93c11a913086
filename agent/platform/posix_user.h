/* posix_user.h - how a process stops being root, where systems are alike. */
#ifndef MUSTER_AGENT_PLATFORM_POSIX_USER_H
#define MUSTER_AGENT_PLATFORM_POSIX_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/error.h"

struct posix_user {
	uid_t uid;
	gid_t gid;
	bool is_self; /* the process is this user already */
};

/* Looks the user up. -1 (ERROR_USAGE) when there is none, when it is root, or when this process is
 * neither root nor that user. */
int posix_user_find(struct posix_user *user, const char *name, struct error *err);

/* Groups first, then the group, then the user, real, effective and saved: there is no way back,
 * which is tried. */
int posix_user_become(const struct posix_user *user, const char *name, struct error *err);

#endif
