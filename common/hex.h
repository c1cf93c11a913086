/* hex.h - bytes as lower-case hexadecimal digits. */
#ifndef MUSTER_COMMON_HEX_H
#define MUSTER_COMMON_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* Two digits for each byte, and NUL. */
void hex_format(char *text, const void *bytes, size_t size);

/* The first 2 * `size` characters of `text`; false, with `bytes` zeroed, when any is no such digit
 * or the text ends before. */
bool hex_parse(void *bytes, size_t size, const char *text);

#endif
