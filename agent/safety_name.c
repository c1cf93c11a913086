#include "agent/safety_name.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Two of these and what stands around them fit a name's 255 bytes. */
#define MOST_LENGTH 80

static bool is_kept(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

static uint32_t hash(const char *text)
{
	uint32_t value = UINT32_C(2166136261); /* FNV-1a */

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT32_C(16777619);
	return value;
}

static char *clean(const char *text)
{
	size_t length = strlen(text);
	char *name = mem_new(MOST_LENGTH + 1, 1);
	bool changed = length > MOST_LENGTH || length == 0;

	for (size_t i = 0; i < length && i < MOST_LENGTH; i++) {
		name[i] = is_kept(text[i]) ? text[i] : '_';
		changed |= name[i] != text[i];
	}
	if (!changed)
		return name;
	char *marked = mem_format("%s-%08" PRIx32, name, hash(text));
	free(name);
	return marked;
}

char *safety_file_name(const char *host, const char *target)
{
	char *of_host = clean(host ? host : ""), *of_target = clean(target ? target : "");
	char *name = mem_format("muster.%s.%s.data", of_host, of_target);

	free(of_host);
	free(of_target);
	return name;
}
