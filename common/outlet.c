#include "common/outlet.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/writer.h"

#define WAITING_MOST (256u << 10)
#define END_NS       (5 * NS_PER_S)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct writer *writer; /* NULL: not started */
static uint64_t dropped;      /* since that was last said */

void outlet_start(void)
{
	struct error ignored;
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct writer *started = fd >= 0 ? writer_new(fd, &ignored) : NULL;

	pthread_mutex_lock(&lock);
	writer = started;
	pthread_mutex_unlock(&lock);
}

static void add(const char *text, size_t size)
{
	struct bytes bytes = {0};

	bytes_append(&bytes, text, size);
	writer_add(writer, &bytes);
}

static void say_dropped(void)
{
	char text[128];
	int size = snprintf(text, sizeof(text),
			    "(%" PRIu64 " lines are missing here: nobody took them)\n", dropped);

	if (dropped)
		add(text, (size_t)size);
	dropped = 0;
}

void outlet_put(const char *text, size_t size)
{
	pthread_mutex_lock(&lock);
	if (!writer) {
		fwrite(text, 1, size, stderr);
	} else if (writer_look(writer).waiting + size > WAITING_MOST) {
		dropped++;
	} else {
		say_dropped();
		add(text, size);
	}
	pthread_mutex_unlock(&lock);
}

void outlet_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = mem_format_list(format, args);
	va_end(args);
	outlet_put(text, strlen(text));
	free(text);
}

void outlet_end(void)
{
	uint64_t end = clock_now_ns() + END_NS;

	pthread_mutex_lock(&lock);
	struct writer *ending = writer;
	if (ending && writer_look(ending).waiting < WAITING_MOST)
		say_dropped();
	writer = NULL;
	pthread_mutex_unlock(&lock);
	if (!ending)
		return;
	while (writer_look(ending).is_busy && clock_now_ns() < end)
		clock_sleep(NS_PER_MS);
	writer_free(ending, 0);
}
