/* text.h - texts that may be absent. */
#ifndef MUSTER_COMMON_TEXT_H
#define MUSTER_COMMON_TEXT_H

#include <stdbool.h>
#include <string.h>

/* Whether both are there and the same. */
static inline bool text_is(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* The text; `otherwise` where it is absent or empty. */
static inline const char *text_or(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

#endif
