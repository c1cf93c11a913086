#include "agent/platform/posix_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

int posix_user_find(struct posix_user *user, const char *name, struct error *err)
{
	const struct passwd *found = getpwnam(name);

	if (!found) {
		error_set(err, ERROR_USAGE, "user: there is no user '%s' on this host", name);
		return -1;
	}
	*user = (struct posix_user){.uid = found->pw_uid,
				    .gid = found->pw_gid,
				    /* Who has root in reserve is not that user yet. */
				    .is_self = found->pw_uid == geteuid() &&
					       found->pw_uid == getuid()};
	if (user->uid == 0) {
		error_set(err, ERROR_USAGE,
			  "user: '%s' is root; leave 'user' out to stay what the agent was started "
			  "as",
			  name);
		return -1;
	}
	if (geteuid() == 0 || user->is_self)
		return 0;
	error_set(err, ERROR_USAGE,
		  "user: to become '%s' the agent has to be started as root, or as that user",
		  name);
	return -1;
}

int posix_user_become(const struct posix_user *user, const char *name, struct error *err)
{
	if (initgroups(name, user->gid) == 0 && setgid(user->gid) == 0 && setuid(user->uid) == 0 &&
	    setuid(0) != 0 && getuid() == user->uid && geteuid() == user->uid)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot become user '%s': %s", name, strerror(errno));
	return -1;
}
