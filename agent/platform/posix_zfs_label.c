#include "agent/platform/posix_zfs_label.h"

#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/platform/platform.h"

#define LABEL_BYTES UINT64_C(262144)
#define RING_AT     131072
#define SLOT_BYTES  1024
#define UBERBLOCK   UINT64_C(0x00bab10c)

static uint64_t little(const unsigned char *bytes)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static uint64_t big(const unsigned char *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | bytes[i];
	return value;
}

static bool is_label(const unsigned char *label)
{
	for (size_t at = RING_AT; at < LABEL_BYTES; at += SLOT_BYTES)
		if (little(label + at) == UBERBLOCK || big(label + at) == UBERBLOCK)
			return true;
	return false;
}

/* Answers as zfs_label_find; what is past the end of the device is no label. */
static int look(int fd, unsigned char *label, uint64_t offset)
{
	size_t have = 0;

	while (have < LABEL_BYTES) {
		ssize_t got = pread(fd, label + have, LABEL_BYTES - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			return 0;
		have += (size_t)got;
	}
	return is_label(label);
}

int zfs_label_find(int fd, uint64_t offset, uint64_t size_bytes)
{
	uint64_t end = size_bytes - size_bytes % LABEL_BYTES;

	if (end < 4 * LABEL_BYTES)
		return 0;
	const uint64_t offsets[] = {0, LABEL_BYTES, end - 2 * LABEL_BYTES, end - LABEL_BYTES};
	unsigned char *label = platform_buffer(4096, LABEL_BYTES);
	if (!label) {
		errno = ENOMEM;
		return -1;
	}
	int found = 0;
	for (int i = 0; i < 4 && found == 0; i++)
		found = look(fd, label, offset + offsets[i]);
	free(label);
	return found;
}
