#include "common/product.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"
#include "common/writer.h"

#define PIECE_SIZE ((size_t)4096)

static FILE *file;
static char *text;
static size_t size;

FILE *product_file(void)
{
	if (!file)
		file = open_memstream(&text, &size);
	if (!file) {
		fprintf(stderr, "out of memory for what is to be printed\n");
		exit(6);
	}
	return file;
}

void product_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(product_file(), format, args);
	va_end(args);
}

static void add_all(struct writer *writer)
{
	for (size_t at = 0; at < size; at += PIECE_SIZE) {
		struct bytes piece = {0};
		bytes_append(&piece, text + at, size - at < PIECE_SIZE ? size - at : PIECE_SIZE);
		writer_add(writer, &piece);
	}
}

static int write_all(uint64_t patience_ns, struct error *err)
{
	char limit[UNITS_TEXT_SIZE];
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct writer *writer = fd >= 0 ? writer_new(fd, err) : NULL;

	if (fd < 0)
		error_set(err, ERROR_SYSTEM, "%s", strerror(errno));
	if (!writer)
		return -1;
	add_all(writer);
	struct writer_state state = writer_look(writer);
	while (state.is_busy && state.stalled_ns <= patience_ns) {
		clock_sleep(NS_PER_MS);
		state = writer_look(writer);
	}
	writer_free(writer, 0);
	if (state.is_broken)
		*err = state.problem;
	else if (state.is_busy)
		error_set(err, ERROR_SYSTEM, "nobody has taken any of it for %s",
			  units_format_ns(limit, (double)patience_ns));
	return state.is_broken || state.is_busy ? -1 : 0;
}

int product_deliver(uint64_t patience_ns, struct error *err)
{
	fclose(product_file());
	int failed = write_all(patience_ns, err);

	if (failed)
		error_prefix(err, "cannot write to standard output");
	free(text);
	file = NULL;
	text = NULL;
	size = 0;
	return failed;
}

int product_flush(struct error *err)
{
	static const char cannot[] = "cannot write to standard output";
	bool was_cut = ferror(stdout);

	if (fflush(stdout) != 0)
		error_set(err, ERROR_SYSTEM, "%s: %s", cannot, strerror(errno));
	else if (was_cut)
		error_set(err, ERROR_SYSTEM, "%s: a part of it was not taken", cannot);
	else
		return 0;
	return -1;
}
