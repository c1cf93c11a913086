/* A list of processors, of a plan or of the kernel: refused with a reason, or numbers that fold to
 * a text that parses back to the same ones. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu_list.h"
#include "common/memory.h"
#include "tests/fuzz/accepted.h"

#define TEXT_SIZE (6 * CPU_LIST_MOST + 8)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fold_and_parse(const struct cpu_list *list)
{
	struct error err = {0};
	struct cpu_list back;
	char *text = mem_new(TEXT_SIZE, 1);

	int failed = cpu_list_parse(&back, cpu_list_format(text, TEXT_SIZE, list), &err);
	assert(!failed && back.count == list->count);
	assert(memcmp(back.cpus, list->cpus, list->count * sizeof(*list->cpus)) == 0);
	cpu_list_release(&back);
	free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct error err = {0};
	struct cpu_list list;
	char *text = mem_new(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	if (cpu_list_parse(&list, text, &err) == 0) {
		assert(list.count > 0 && list.count <= CPU_LIST_MOST);
		fold_and_parse(&list);
		accepted = true;
	} else {
		assert(err.text[0] && !list.cpus);
	}
	cpu_list_release(&list);
	free(text);
	return 0;
}
