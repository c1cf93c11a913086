#include "common/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *pointer, size_t count, size_t size)
{
	if (!pointer) {
		fprintf(stderr, "out of memory: %zu elements of %zu bytes\n", count, size);
		exit(6);
	}
	return pointer;
}

void *mem_new(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1), count, size);
}

void *mem_resize(void *pointer, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		check(NULL, count, size);
	return check(realloc(pointer, count && size ? count * size : 1), count, size);
}

char *mem_text(const char *text)
{
	if (!text)
		return NULL;
	size_t size = strlen(text) + 1;
	return memcpy(mem_new(size, 1), text, size);
}

char *mem_format_list(const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		check(NULL, 1, 0);
	char *text = mem_new((size_t)length + 1, 1);
	vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

char *mem_format(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = mem_format_list(format, args);
	va_end(args);
	return text;
}
