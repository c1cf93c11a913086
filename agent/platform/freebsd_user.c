/* freebsd_user.c - an ordinary user, with nothing of root's.
 *
 * FreeBSD has no privileges to keep one of: a punctual start (rtprio) and locked
 * memory are then refused by the system, which stands in the result as start_refusals. Devices are
 * reached through devfs rules (devfs.rules(5)) that give them to the user or its group. */
#include "agent/platform/platform.h"

#include <sys/procctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "agent/platform/posix_user.h"

int platform_become_user(const char *name, struct error *err)
{
	struct posix_user user;

	if (posix_user_find(&user, name, err) < 0)
		return -1;
	return user.is_self ? 0 : posix_user_become(&user, name, err);
}

void platform_forbid_cores(void)
{
	int disable = PROC_TRACE_CTL_DISABLE;

	posix_forbid_cores();
	procctl(P_PID, getpid(), PROC_TRACE_CTL, &disable);
}
