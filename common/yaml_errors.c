#include "common/yaml_errors.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/outlet.h"
#include "common/utf8.h"

enum { LINES_MAX = 100, TEXT_SIZE = 1024, SHOWN_MAX = 60 };

/* Takes `line`. */
static void add_line(struct yaml_errors *errors, char *line)
{
	bool known = false;

	/* What a file holds may be meant for the terminal that shows the error. */
	utf8_make_shown(line);
	for (uint32_t i = 0; i < errors->count && !known; i++)
		known = strcmp(errors->lines[i], line) == 0;
	if (known || errors->count == LINES_MAX) {
		errors->left_out += !known;
		free(line);
		return;
	}
	errors->lines = mem_resize(errors->lines, errors->count + 1, sizeof(*errors->lines));
	errors->lines[errors->count++] = line;
}

static const char *file_name(const struct yaml_errors *errors)
{
	return errors->file ? errors->file : "-";
}

void yaml_errors_add(struct yaml_errors *errors, uint32_t line, uint32_t column, const char *format,
		     ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (line)
		add_line(errors, mem_format("%s:%u:%u: %s", file_name(errors), line, column, text));
	else
		add_line(errors, mem_format("--set %s", text));
}

void yaml_errors_add_file(struct yaml_errors *errors, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_line(errors, mem_format("%s: %s", file_name(errors), text));
}

void yaml_errors_print(const struct yaml_errors *errors)
{
	for (uint32_t i = 0; i < errors->count; i++)
		outlet_print("%s\n", errors->lines[i]);
	if (errors->left_out)
		outlet_print("and %u more\n", errors->left_out);
}

void yaml_errors_release(struct yaml_errors *errors)
{
	for (uint32_t i = 0; i < errors->count; i++)
		free(errors->lines[i]);
	free(errors->lines);
	*errors = (struct yaml_errors){.file = errors->file};
}

int yaml_errors_shown(const char *text)
{
	size_t size = strnlen(text, SHOWN_MAX + 1);

	return (int)utf8_valid(text, size > SHOWN_MAX ? SHOWN_MAX : size);
}
