/* utf8.h - whether bytes from outside are text, and text that may be shown.
 *
 * A terminal obeys control characters (U+0000 to U+001F, U+007F to U+009F), and bidirectional marks
 * (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) have it show other text than stands there.
 */
#ifndef MUSTER_COMMON_UTF8_H
#define MUSTER_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes from the front on are whole, well-formed characters (Unicode table 3-7: nothing
 * overlong, no surrogates, nothing over U+10FFFF): `size` when all are. */
size_t utf8_valid(const char *text, size_t size);

/* Bytes of the well-formed character at `at`. */
size_t utf8_step(const char *at);

/* Whether all of it is text that a terminal shows and does not obey. */
bool utf8_is_shown(const char *text);

/* Makes it so, in place: each such character, and each byte that is none, becomes '?'. */
void utf8_make_shown(char *text);

#endif
