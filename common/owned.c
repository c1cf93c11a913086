#include "common/owned.h"

#include <stdbool.h>
#include <unistd.h>

#include "common/memory.h"

char *owned_fault(const struct stat *status, mode_t others, const char *path)
{
	unsigned mode = (unsigned)status->st_mode & 07777;
	bool secret = others & 044;

	if (status->st_uid != 0 && status->st_uid != geteuid())
		return mem_format(
			"belongs to user %ld, who could change it: it has to be root's or "
			"yours; type: chown %ld '%s'",
			(long)status->st_uid, (long)geteuid(), path);
	if (mode & others)
		return mem_format("others may %s it (mode %04o); type: chmod %s '%s'",
				  secret ? "read" : "change", mode, secret ? "600" : "go-w", path);
	return NULL;
}
