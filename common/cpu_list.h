/* cpu_list.h - numbers of processors as people and kernels write them: "0-3,8".
 *
 * Ascending, each once. Read from plans and from what the kernel prints. */
#ifndef MUSTER_COMMON_CPU_LIST_H
#define MUSTER_COMMON_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* No system numbers them higher (Linux: 8,192). */
#define CPU_LIST_MOST 65536

struct cpu_list {
	uint32_t *cpus;
	uint32_t count;
};

/* Numbers and ranges between commas; blanks and a newline around the whole are taken. An empty text
 * is an error. Released after, also on failure. */
int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err);
void cpu_list_release(struct cpu_list *list);

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu);

/* Appends one; they come in ascending order. */
void cpu_list_add(struct cpu_list *list, uint32_t cpu);

/* Those of `list` that `of` has, too. */
struct cpu_list cpu_list_common(const struct cpu_list *list, const struct cpu_list *of);

/* "0-3,8", cut with "…" where it does not fit; "none" of an empty one. Answers `text`. */
const char *cpu_list_format(char *text, size_t size, const struct cpu_list *list);

#endif
