#include "proto/version.h"

#include "proto/codec.h"

const char *version_text(void)
{
	return MUSTER_VERSION;
}

const char *version_fingerprint(void)
{
	static char text[17];

	if (!text[0])
		codec_fingerprint(text);
	return text;
}
