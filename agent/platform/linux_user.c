/* linux_user.c - an ordinary user with the two capabilities that a punctual start and registered
 * buffers need. Files and devices are reached by the user's own rights: with CAP_DAC_OVERRIDE it
 * could read and overwrite everything, which is what it is to be rid of. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "agent/platform/posix_user.h"

/* SCHED_FIFO for the start; locked memory and buffers registered with io_uring beyond
 * RLIMIT_MEMLOCK. */
#define KEPT (1u << CAP_SYS_NICE | 1u << CAP_IPC_LOCK)

/* Of those that this process has (a container may have taken them): none more, none inherited. Of
 * the calling thread: there is no other yet. */
static int keep_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	uint32_t kept = data[0].permitted & KEPT;
	memset(data, 0, sizeof(data));
	data[0].permitted = data[0].effective = kept;
	return (int)syscall(SYS_capset, &header, data);
}

int platform_become_user(const char *name, struct error *err)
{
	struct posix_user user;

	if (posix_user_find(&user, name, err) < 0)
		return -1;
	if (!user.is_self) {
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		if (posix_user_become(&user, name, err) < 0)
			return -1;
	}
	/* An ordinary user may have been started with more than these two as well. */
	if (keep_capabilities() < 0) {
		error_set(err, ERROR_SYSTEM, "cannot give up capabilities: %s", strerror(errno));
		return -1;
	}
	/* No program that it could ever run gives it more; nobody reads its keys from a core. */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return 0;
}

void platform_forbid_cores(void)
{
	posix_forbid_cores();
	/* A program behind core_pattern's pipe is given one in spite of the limit. Not where
	 * /proc/self, which is root's then, could not be read any more. */
	if (geteuid() == 0)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
