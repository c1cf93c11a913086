/* real.h - a double as text and back, without loss. */
#ifndef MUSTER_COMMON_REAL_H
#define MUSTER_COMMON_REAL_H

#include <stdbool.h>

/* The shortest of 15 to 17 significant digits that reads back as the same value, always with a
 * point or an exponent, as JSON readers tell reals from integers: "800.0", "0.1". `value` is
 * finite. */
#define REAL_TEXT_SIZE 32
char *real_format(char text[REAL_TEXT_SIZE], double value);

/* A decimal number and nothing else: no blanks, hex, leading zeros, nan, inf or overflow. */
bool real_parse(const char *text, double *value);

#endif
