/* sunos_user.c - an ordinary user, with nothing of root's.
 *
 * illumos could keep proc_priocntl and proc_lock_memory with setppriv(2); that has
 * not been tried, so none is kept: a punctual start and locked memory are then refused by the
 * system, which stands in the result as start_refusals. Devices have to be readable by the user
 * (chmod or ACL on /devices, or a logindevperm(5) entry). */
#include "agent/platform/platform.h"

#include "agent/platform/posix.h"
#include "agent/platform/posix_user.h"

int platform_become_user(const char *name, struct error *err)
{
	struct posix_user user;

	if (posix_user_find(&user, name, err) < 0)
		return -1;
	return user.is_self ? 0 : posix_user_become(&user, name, err);
}

/* coreadm(8)'s global cores do not ask for the limit, and no interface is known that keeps a
 * process out of them: where they are turned on, whoever may read their directory may read these.
 */
void platform_forbid_cores(void)
{
	posix_forbid_cores();
}
