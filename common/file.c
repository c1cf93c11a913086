#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"

int file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int check_size(FILE *file, const char *path, size_t most, size_t *size, struct error *err)
{
	struct stat st;

	if (fstat(fileno(file), &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		error_set(err, ERROR_USAGE, "'%s' is no plain file", path);
		return -1;
	}
	if ((uint64_t)st.st_size > most) {
		error_set(err, ERROR_USAGE, "'%s' has %llu bytes: takes at most %zu", path,
			  (unsigned long long)st.st_size, most);
		return -1;
	}
	*size = (size_t)st.st_size;
	return 0;
}

int file_read(const char *path, size_t most, struct bytes *bytes, struct error *err)
{
	int fd = file_open(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
	size_t size = 0;

	if (!file) {
		error_set(err, errno == ENOENT ? ERROR_USAGE : ERROR_SYSTEM, "cannot open '%s': %s",
			  path, strerror(errno));
		return -1;
	}
	int status = check_size(file, path, most, &size, err);
	if (status == 0) {
		*bytes = (struct bytes){.data = mem_new(size + 1, 1)};
		bytes->size = fread(bytes->data, 1, size, file);
		if (ferror(file)) {
			error_set(err, ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
			free(bytes->data);
			status = -1;
		}
	}
	fclose(file);
	return status;
}

int file_write_whole(int fd, const void *data, size_t size)
{
	const unsigned char *at = data;

	while (size) {
		ssize_t done = write(fd, at, size);
		if (done < 0 && errno == EINTR)
			continue;
		/* A terminal or pipe that somebody else made so. */
		if (done < 0 && errno == EAGAIN) {
			struct pollfd item = {.fd = fd, .events = POLLOUT};
			poll(&item, 1, -1);
			continue;
		}
		if (done <= 0) {
			errno = done ? errno : ENOSPC;
			return -1;
		}
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

void file_hold_standard(void)
{
	/* The lowest free number is given out. Never closed: that is the point. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(6);
}
