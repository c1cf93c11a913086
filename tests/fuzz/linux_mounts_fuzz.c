/* linux_mounts_fuzz.c - lines of /proc/self/mountinfo, and the same as limits of a control group:
 * each is taken or is none, and what is told of it fits. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/linux_cgroup.h"
#include "agent/platform/linux_mounts.h"
#include "common/memory.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void as_mount(const char *line)
{
	char *copy = mem_text(line);
	struct mount mount = {0};
	size_t length = strlen(copy);

	if (mounts_parse_line(copy, &mount) == 0) {
		const char *const texts[] = {mount.root, mount.point, mount.type, mount.source};
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			assert(texts[i] >= copy && texts[i] + strlen(texts[i]) <= copy + length);
		accepted = true;
		assert(!mount.options || mount.options <= copy + length);
	}
	free(copy);
}

static void as_limit(const char *line)
{
	static const char *const rates[] = {NULL, "read_bps", "write_iops"};
	char text[128];

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		bool is_limit = cgroup_io_line(line, rates[i], text, sizeof(text));
		assert(memchr(text, 0, sizeof(text)) && (!is_limit || text[0]));
		accepted = accepted || is_limit;
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *all = mem_new(size + 1, 1), *rest = all;

	memcpy(all, data, size);
	for (char *line; (line = strsep(&rest, "\n"));) {
		as_mount(line);
		as_limit(line);
	}
	free(all);
	return 0;
}
