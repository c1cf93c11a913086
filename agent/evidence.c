#include "agent/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"

/* Of one run, phase and target: more than there can be attempts. */
#define FILES_MOST 100

/* Names come from plans; a slash in one would lead elsewhere. */
static char *make_path(const char *spool, const char *run, uint32_t phase, const char *target,
		       uint32_t number)
{
	char *path = number == 1 ? mem_format("%s/miscompare.%s.%u.%s", spool, run, phase, target)
				 : mem_format("%s/miscompare.%s.%u.%s.%u", spool, run, phase,
					      target, number);

	for (char *at = path + strlen(spool) + 1; *at; at++)
		if (*at == '/')
			*at = '_';
	return path;
}

int evidence_open(struct evidence *evidence, const char *spool, const char *run, uint32_t phase,
		  const char *target, struct error *err)
{
	evidence->fd = -1;
	for (uint32_t number = 1; evidence->fd < 0 && number <= FILES_MOST; number++) {
		free(evidence->path);
		evidence->path = make_path(spool, run, phase, target, number);
		evidence->fd = open(evidence->path,
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (evidence->fd < 0 && errno != EEXIST)
			break;
	}
	if (evidence->fd >= 0)
		return 0;
	error_set(err, ERROR_REFUSED, "cannot make '%s' for what verification finds: %s",
		  evidence->path, strerror(errno));
	free(evidence->path);
	evidence->path = NULL;
	return -1;
}

bool evidence_take(struct evidence *evidence, uint32_t *place)
{
	if (!evidence->path || atomic_load(&evidence->taken) >= EVIDENCE_BLOCKS_MOST)
		return false;
	*place = atomic_fetch_add(&evidence->taken, 1);
	return *place < EVIDENCE_BLOCKS_MOST;
}

static void put(struct evidence *evidence, const void *data, size_t length, uint64_t offset)
{
	const char *at = data;

	while (length) {
		ssize_t done = pwrite(evidence->fd, at, length, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			atomic_store(&evidence->error, done ? errno : ENOSPC);
			return;
		}
		at += done;
		offset += (uint64_t)done;
		length -= (size_t)done;
	}
}

void evidence_put(struct evidence *evidence, uint32_t place, const char *text, const void *expected,
		  const void *found, size_t length)
{
	char head[EVIDENCE_HEAD];
	uint64_t offset = place * (sizeof(head) + 2 * (uint64_t)length);
	size_t size = strlen(text);

	memset(head, ' ', sizeof(head));
	memcpy(head, text, size < sizeof(head) - 1 ? size : sizeof(head) - 1);
	head[sizeof(head) - 1] = '\n';
	put(evidence, head, sizeof(head), offset);
	put(evidence, expected, length, offset + sizeof(head));
	put(evidence, found, length, offset + sizeof(head) + length);
}

bool evidence_is_empty(const struct evidence *evidence)
{
	return !evidence->path || atomic_load(&evidence->taken) == 0;
}

void evidence_close(struct evidence *evidence)
{
	if (!evidence->path || evidence->fd < 0)
		return;
	if (evidence_is_empty(evidence))
		unlink(evidence->path);
	else if (fsync(evidence->fd))
		atomic_store(&evidence->error, errno);
	close(evidence->fd);
	evidence->fd = -1;
}

void evidence_release(struct evidence *evidence)
{
	evidence_close(evidence);
	free(evidence->path);
	evidence->path = NULL;
}
