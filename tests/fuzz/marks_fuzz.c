/* marks_fuzz.c - what may stand on a disk: the bytes are a small device's, first and again at its
 * end; marks are told or not, always the same. Two bytes before them say how large it is. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/posix_signature.h"

#define MOST_USES 64
#define LEAST     512
#define STEP      512

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int count(int fd, uint64_t size_bytes, uint32_t sector)
{
	struct platform_use uses[MOST_USES];
	struct use_list list = {.uses = uses, .most = MOST_USES};
	struct error err;

	assert(marks_add(&list, fd, size_bytes, sector, "the disk", &err) == 0);
	assert(list.count >= 0 && list.count <= list.most);
	for (int i = 0; i < list.count; i++)
		assert(uses[i].text[0]);
	return list.count;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static FILE *device;

	if (size < 2)
		return 0;
	uint64_t size_bytes = LEAST + STEP * (uint64_t)(data[0] | (data[1] & 0xf) << 8);
	if (!device)
		device = tmpfile();
	assert(device && ftruncate(fileno(device), 0) == 0);
	assert(ftruncate(fileno(device), (off_t)size_bytes) == 0);
	data += 2;
	size -= 2;
	size_t part = size < size_bytes ? size : (size_t)size_bytes;
	assert(pwrite(fileno(device), data, part, 0) == (ssize_t)part);
	assert(pwrite(fileno(device), data, part, (off_t)(size_bytes - part)) == (ssize_t)part);
	for (uint32_t sector = 512; sector <= 4096; sector *= 8)
		assert(count(fileno(device), size_bytes, sector) ==
		       count(fileno(device), size_bytes, sector));
	return 0;
}
