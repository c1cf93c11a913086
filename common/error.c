#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	va_list args;

	err->kind = kind;
	err->code = NULL;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
}

void error_code(struct error *err, const char *code)
{
	err->code = code;
}

void error_prefix(struct error *err, const char *format, ...)
{
	struct error old = *err;
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old.text);
}
