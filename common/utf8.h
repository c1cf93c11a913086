/* utf8.h - whether bytes from outside are text. */
#ifndef MUSTER_COMMON_UTF8_H
#define MUSTER_COMMON_UTF8_H

#include <stddef.h>

/* How many bytes from the front on are whole, well-formed characters (Unicode table 3-7: nothing
 * overlong, no surrogates, nothing over U+10FFFF): `size` when all are. */
size_t utf8_valid(const char *text, size_t size);

#endif
