#include "agent/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"

static int init_huge(struct buffers *buffers, struct error *err)
{
	buffers->memory = platform_huge_buffer(&buffers->size, err);
	buffers->is_huge = buffers->memory;
	return buffers->memory ? 0 : -1;
}

static int init_plain(struct buffers *buffers, bool large, size_t alignment, struct error *err)
{
	buffers->memory = large ? platform_large_buffer(alignment, buffers->size)
				: platform_buffer(alignment, buffers->size);
	if (buffers->memory)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "no memory for a worker: %zu bytes of I/O buffers were asked for: lower "
		  "block_size, queue_depth or workers",
		  buffers->size);
	return -1;
}

int buffers_init(struct buffers *buffers, enum phase_hugepages pages, size_t alignment, size_t size,
		 struct error *err)
{
	struct error why;

	buffers->size = size;
	if (pages == PHASE_HUGEPAGES_TRUE) {
		if (init_huge(buffers, err) == 0)
			return 0;
		size_t used = strlen(err->text);
		snprintf(err->text + used, sizeof(err->text) - used,
			 "; or 'hugepages: prefer', which goes on without");
		return -1;
	}
	if (pages == PHASE_HUGEPAGES_PREFER) {
		if (init_huge(buffers, &why) == 0)
			return 0;
		snprintf(buffers->note, sizeof(buffers->note),
			 "I/O buffers are not of explicit huge pages: %.400s", why.text);
	}
	return init_plain(buffers, pages != PHASE_HUGEPAGES_FALSE, alignment, err);
}

void buffers_touch(struct buffers *buffers)
{
	memset(buffers->memory, 0xa5, buffers->size);
}

void buffers_release(struct buffers *buffers)
{
	if (buffers->is_huge)
		platform_huge_free(buffers->memory, buffers->size);
	else
		free(buffers->memory);
	buffers->memory = NULL;
}
