/* key_file.c - keys from files, and files for new keys. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/owned.h"
#include "proto/auth.h"
#include "proto/key.h"

/* ---- reading ---- */

/* Whoever may write a public key says who is let in; whoever may read a secret is its owner. */
static int check_mode(const struct stat *status, const char *path, enum key_part part,
		      struct error *err)
{
	char *fault = owned_fault(status, part == KEY_PART_SECRET ? 077 : 022, path);

	if (!fault)
		return 0;
	error_set(err, ERROR_USAGE, "%s", fault);
	free(fault);
	return -1;
}

static int check_part(const struct key_file *file, enum key_part part, struct error *err)
{
	if (file->has_secret == (part == KEY_PART_SECRET))
		return 0;
	error_set(err, ERROR_USAGE, "%s",
		  file->has_secret
			  ? "is a secret key, and a public one is wanted: name the file that "
			    "ends in .key; a secret leaves its owner for nobody"
			  : "is a public key, and a secret one is wanted: name the file that ends "
			    "in .secret");
	return -1;
}

static int read_all(int fd, char *text, size_t *size, struct error *err)
{
	ssize_t got = 0;

	*size = 0;
	while (*size <= KEY_FILE_MAX &&
	       (got = read(fd, text + *size, KEY_FILE_MAX + 1 - *size)) > 0)
		*size += (size_t)got;
	if (got < 0)
		error_set(err, ERROR_USAGE, "cannot be read: %s", strerror(errno));
	return got < 0 ? -1 : 0;
}

/* What it is goes before who may read it: a chmod does not make a secret of the wrong file. */
static int read_checked(int fd, const char *path, enum key_part part, struct key_file *file,
			struct error *err)
{
	struct stat status;
	char text[KEY_FILE_MAX + 1];
	size_t size;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		error_set(err, ERROR_USAGE, "is no file");
		return -1;
	}
	int failed = read_all(fd, text, &size, err) < 0 || key_parse(file, text, size, err) < 0;
	key_wipe(text, sizeof(text));
	if (failed)
		return -1;
	return check_part(file, part, err) < 0 ? -1 : check_mode(&status, path, part, err);
}

static int read_file(const char *path, enum key_part part, struct key_file *file, struct error *err)
{
	/* Not blocking: a fifo must not hold the program. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result = -1;

	*file = (struct key_file){0};
	if (fd < 0 && errno == ENOENT)
		error_set(err, ERROR_USAGE,
			  "is not there; muster keygen makes keys, NAME.secret for its owner and "
			  "NAME.key for the others");
	else if (fd < 0)
		error_set(err, ERROR_USAGE, "cannot be opened: %s", strerror(errno));
	else
		result = read_checked(fd, path, part, file, err);
	if (fd >= 0)
		close(fd);
	if (result == 0)
		return 0;
	key_wipe(file, sizeof(*file));
	error_prefix(err, "'%s'", path);
	return -1;
}

int key_read_public(const char *path, unsigned char key[KEY_SIZE], struct error *err)
{
	struct key_file file;

	if (read_file(path, KEY_PART_PUBLIC, &file, err) < 0)
		return -1;
	memcpy(key, file.pair.public, KEY_SIZE);
	return 0;
}

int key_read_secret(const char *path, struct key_pair *pair, struct error *err)
{
	struct key_file file;

	if (read_file(path, KEY_PART_SECRET, &file, err) < 0)
		return -1;
	*pair = file.pair;
	key_wipe(&file, sizeof(file));
	if (auth_is_pair(pair))
		return 0;
	key_wipe(pair, sizeof(*pair));
	error_set(err, ERROR_USAGE,
		  "'%s' is damaged: its secret and its public part do not belong together", path);
	return -1;
}

/* ---- making ---- */

/* With its parents. */
static int make_directory(const char *directory, struct error *err)
{
	struct stat status;
	char *path = mem_text(directory);

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	free(path);
	if (mkdir(directory, 0700) == 0 ||
	    (errno == EEXIST && stat(directory, &status) == 0 && S_ISDIR(status.st_mode)))
		return 0;
	error_set(err, ERROR_USAGE, "cannot make the directory '%s': %s", directory,
		  strerror(errno));
	return -1;
}

static int open_new(const char *path, mode_t mode, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

	if (fd < 0)
		error_set(err, ERROR_USAGE, "cannot make '%s': %s%s", path, strerror(errno),
			  errno == EEXIST ? "; a key is never overwritten: who has the old one "
					    "would be shut out. Take another name, or remove both "
					    "files of this one"
					  : "");
	return fd;
}

static int write_new(int fd, const char *path, char *text, struct error *err)
{
	size_t size = strlen(text);
	int result = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0 ? 0 : -1;

	if (result < 0)
		error_set(err, ERROR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
	key_wipe(text, size);
	free(text);
	close(fd);
	return result;
}

/* Both files are there, empty, before anything is written: so that none is left alone. */
static int make_files(const struct key_file *file, const char *public, const char *secret,
		      struct error *err)
{
	int secret_fd = open_new(secret, 0600, err);
	if (secret_fd < 0)
		return -1;
	int public_fd = open_new(public, 0644, err);
	if (public_fd < 0) {
		close(secret_fd);
		unlink(secret);
		return -1;
	}
	int failed = write_new(secret_fd, secret, key_format(file, KEY_PART_SECRET), err) < 0;
	struct error other;
	failed |= write_new(public_fd, public, key_format(file, KEY_PART_PUBLIC),
			    failed ? &other : err) < 0;
	if (!failed)
		return 0;
	unlink(secret);
	unlink(public);
	return -1;
}

int key_make(const char *directory, const char *name, struct error *err)
{
	struct key_file file = {0};

	if (!key_is_name(name, strlen(name))) {
		error_set(err, ERROR_USAGE,
			  "'%s' is no name for a key: wanted are letters, digits, '.', '_' and "
			  "'-', not beginning with '.' or '-'",
			  name);
		return -1;
	}
	strcpy(file.name, name);
	file.has_secret = true;
	if (make_directory(directory, err) < 0 || auth_make_pair(&file.pair, err) < 0)
		return -1;
	char *public = mem_format("%s/%s.key", directory, name);
	char *secret = mem_format("%s/%s.secret", directory, name);
	int result = make_files(&file, public, secret, err);
	free(public);
	free(secret);
	key_wipe(&file, sizeof(file));
	return result;
}
