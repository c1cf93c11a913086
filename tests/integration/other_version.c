/* other_version.c - stands in for proto/version.c in muster-agent-other: an agent of a build that
 * speaks another protocol. */
#include "proto/version.h"

const char *version_text(void)
{
	return "0.0.9-other";
}

const char *version_fingerprint(void)
{
	return "00000000deadbeef";
}
