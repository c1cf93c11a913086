/* yaml_errors.h - all that is wrong with a YAML file, not the first alone. */
#ifndef MUSTER_COMMON_YAML_ERRORS_H
#define MUSTER_COMMON_YAML_ERRORS_H

#include <stdint.h>

/* In the order in which it was found, each a whole line
 * "file:line:column: path: what", or "--set path: what" when line is 0. The same line is kept
 * once. At most 100 are kept, the rest counted. Control characters and bytes that are no text are
 * printed as "?". Zero it before use (file set); release frees. */
struct yaml_errors {
	const char *file; /* as the person named it; kept, not copied */
	char **lines;
	uint32_t count, left_out;
};
void yaml_errors_add(struct yaml_errors *errors, uint32_t line, uint32_t column, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));
/* "file: what": the file as a whole, for instance that it cannot be opened. */
void yaml_errors_add_file(struct yaml_errors *errors, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A line each on stderr. */
void yaml_errors_print(const struct yaml_errors *errors);
void yaml_errors_release(struct yaml_errors *errors);

/* How many bytes of a text from the file to print in an error, for "%.*s": all, or as much as a
 * line of text holds, cut between two characters. */
int yaml_errors_shown(const char *text);

#endif
