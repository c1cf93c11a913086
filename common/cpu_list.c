#include "common/cpu_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

#define NOT_A_LIST "is no list of processors: write numbers and ranges, as 0-3,8"

/* A number of digits only; NULL: there is none, or it is too large. */
static const char *take_number(const char *at, uint32_t *number)
{
	uint32_t value = 0;
	const char *begin = at;

	for (; *at >= '0' && *at <= '9' && value < CPU_LIST_MOST; at++)
		value = value * 10 + (uint32_t)(*at - '0');
	*number = value;
	return at == begin || value >= CPU_LIST_MOST ? NULL : at;
}

static const char *take_range(const char *at, bool *has)
{
	uint32_t first, last;

	at = take_number(at, &first);
	last = first;
	if (at && *at == '-')
		at = take_number(at + 1, &last);
	if (!at || last < first)
		return NULL;
	for (uint32_t cpu = first; cpu <= last; cpu++)
		has[cpu] = true;
	return at;
}

static int take_all(const char *at, bool *has)
{
	do {
		at = take_range(at, has);
	} while (at && *at++ == ',');
	if (!at)
		return -1;
	at--; /* where the last range ended */
	return at[strspn(at, " \n")] ? -1 : 0;
}

int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err)
{
	bool *has = mem_new(CPU_LIST_MOST, sizeof(*has));
	int failed = take_all(text + strspn(text, " "), has);

	*list = (struct cpu_list){0};
	if (failed)
		error_set(err, ERROR_REFUSED, "'%.80s' " NOT_A_LIST, text);
	for (uint32_t cpu = 0; !failed && cpu < CPU_LIST_MOST; cpu++)
		if (has[cpu])
			cpu_list_add(list, cpu);
	free(has);
	return failed;
}

void cpu_list_release(struct cpu_list *list)
{
	free(list->cpus);
	*list = (struct cpu_list){0};
}

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

void cpu_list_add(struct cpu_list *list, uint32_t cpu)
{
	/* Room for the next power of two, made when one is reached. */
	if (!(list->count & (list->count - 1)))
		list->cpus = mem_resize(list->cpus, list->count ? list->count * (size_t)2 : 1,
					sizeof(*list->cpus));
	list->cpus[list->count++] = cpu;
}

struct cpu_list cpu_list_common(const struct cpu_list *list, const struct cpu_list *of)
{
	struct cpu_list common = {0};

	for (uint32_t i = 0; i < list->count; i++)
		if (cpu_list_has(of, list->cpus[i]))
			cpu_list_add(&common, list->cpus[i]);
	return common;
}

/* One that ends `text` at `used` where it does not fit. */
static size_t append(char *text, size_t size, size_t used, uint32_t first, uint32_t last)
{
	char range[32];

	int length = first == last ? snprintf(range, sizeof(range), "%s%u", used ? "," : "", first)
				   : snprintf(range, sizeof(range), "%s%u-%u", used ? "," : "",
					      first, last);
	if (used + (size_t)length + sizeof("…") > size) {
		snprintf(text + used, size - used, "…");
		return size;
	}
	memcpy(text + used, range, (size_t)length + 1);
	return used + (size_t)length;
}

const char *cpu_list_format(char *text, size_t size, const struct cpu_list *list)
{
	size_t used = 0;

	snprintf(text, size, "none");
	for (uint32_t i = 0; i < list->count && used < size; i++) {
		uint32_t first = list->cpus[i];
		while (i + 1 < list->count && list->cpus[i + 1] == list->cpus[i] + 1)
			i++;
		used = append(text, size, used, first, list->cpus[i]);
	}
	return text;
}
