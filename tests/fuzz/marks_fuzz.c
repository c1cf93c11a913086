/* marks_fuzz.c - what may stand on a disk: the bytes are a small device's, first and again at its
 * end; marks are told or not, always the same. Two bytes before them say how large it is, and its
 * sectors. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/platform/posix_signature.h"
#include "tests/fuzz/accepted.h"

#define MOST_USES 64
#define SECTOR    512
#define LARGE     16 /* of all sizes in place of one: labels of ZFS need a MiB */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int count(int fd, uint64_t size_bytes, uint32_t sector)
{
	struct platform_use uses[MOST_USES];
	struct use_list list = {.uses = uses, .most = MOST_USES};
	struct error err;

	assert(marks_add(&list, fd, size_bytes, sector, "the disk", &err) == 0);
	assert(list.count >= 0 && list.count <= list.most);
	accepted = list.count > 0;
	for (int i = 0; i < list.count; i++)
		assert(uses[i].text[0]);
	return list.count;
}

/* In memory: the file's own cost was most of an execution's. */
static int open_device(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/muster-marks-fuzz-%ld", (long)getpid());
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert(fd >= 0 && shm_unlink(name) == 0);
	return fd;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int device = -1;

	if (size < 2)
		return 0;
	uint64_t size_bytes = SECTOR * (1 + (uint64_t)data[0]);
	if ((data[1] & 0xf0) == 0xf0)
		size_bytes *= LARGE;
	uint32_t sector = data[1] & 1 ? 4096 : SECTOR;
	if (device < 0)
		device = open_device();
	assert(ftruncate(device, 0) == 0);
	assert(ftruncate(device, (off_t)size_bytes) == 0);
	data += 2;
	size -= 2;
	size_t part = size < size_bytes ? size : (size_t)size_bytes;
	assert(pwrite(device, data, part, 0) == (ssize_t)part);
	assert(pwrite(device, data, part, (off_t)(size_bytes - part)) == (ssize_t)part);
	assert(count(device, size_bytes, sector) == count(device, size_bytes, sector));
	return 0;
}
