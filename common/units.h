/* units.h - numbers as people write them.
 *
 * Bytes: 4096, 4KiB, 1MiB, 2GiB, 1TiB, 1PiB, 1EiB; k, M, G, T, P alone are binary too (64k =
 * 65,536), as are K and KB's binary twin KiB; kB, MB, GB, TB, PB, EB are decimal (1MB = 1,000,000).
 * Times: 50ns, 10us, 50ms, 60s, 5m, 2h; a bare 0 is allowed, any other bare number is not. Percent:
 * 10%. A rate is bytes with "/s". Fractions are allowed where the result is whole (1.5s, 0.5GiB).
 * Blanks between number and unit are. Refused: trailing junk, signs, leading zeros (010), hex,
 * overflow, fractions of a byte.
 */
#ifndef MUSTER_COMMON_UNITS_H
#define MUSTER_COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Each answers 0, or -1 with what was found and what would be legal (ERROR_USAGE). */
int units_parse_count(const char *text, uint64_t *value, struct error *err);
int units_parse_bytes(const char *text, uint64_t *bytes, struct error *err);
int units_parse_ns(const char *text, uint64_t *ns, struct error *err);
int units_parse_percent(const char *text, uint64_t *percent, struct error *err);
/* In thousandths of a percent: 99.5% is 99,500. */
int units_parse_fine_percent(const char *text, uint64_t *thousandths, struct error *err);
int units_parse_rate(const char *text, uint64_t *bytes_per_s, struct error *err);
/* Of bytes or of operations: "100MiB/s", "500/s" or "500 iops". One of the two is set, the other
 * is 0. */
int units_parse_load_rate(const char *text, uint64_t *bytes_per_s, uint64_t *operations_per_s,
			  struct error *err);
/* Bytes, or a multiple of the host's RAM: "2x ram", "0.5x ram". One of the two is set, the other
 * is 0; the multiple is in thousandths. */
int units_parse_size(const char *text, uint64_t *bytes, uint64_t *thousandths_of_ram,
		     struct error *err);

/* Text for people: "1.50 GiB", "812 MiB/s", "1.234 ms". At most UNITS_TEXT_SIZE bytes. */
#define UNITS_TEXT_SIZE 32
char *units_format_bytes(char text[UNITS_TEXT_SIZE], uint64_t bytes);
char *units_format_rate(char text[UNITS_TEXT_SIZE], double bytes_per_s);
char *units_format_ns(char text[UNITS_TEXT_SIZE], double ns);
/* Short where exact: 1048576 is "1MiB", 1500 is "1500"; parses back to the same. */
char *units_format_exact(char text[UNITS_TEXT_SIZE], uint64_t bytes);

#endif
