#include "controller/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/utf8.h"
#include "controller/manifest.h"
#include "controller/store_again.h"

#define MOST_BYTES (4 << 20) /* of a manifest */

enum { EXIT_USAGE = 2 };

/* ---- reading ---- */

/* The whole of a file with a NUL behind it, the caller's to free; not from a fifo. */
static char *read_file(int directory, const char *name, size_t *size, struct error *err)
{
	char *text = mem_new(MOST_BYTES + 1, 1);
	struct stat st;
	ssize_t got = 0;

	*size = 0;
	errno = 0;
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	while (good && *size < MOST_BYTES && (got = read(fd, text + *size, MOST_BYTES - *size)) > 0)
		*size += (size_t)got;
	if (good && got == 0) {
		close(fd);
		return text;
	}
	error_set(err, ERROR_SYSTEM, "cannot read '%s': %s", name,
		  got > 0           ? "it is larger than 4 MiB"
		  : errno == ENOENT ? "it is not there"
		  : errno           ? strerror(errno)
				    : "no plain file");
	if (fd >= 0)
		close(fd);
	free(text);
	return NULL;
}

static int read_manifest(struct manifest *manifest, int directory, struct error *err)
{
	size_t size;
	char *text = read_file(directory, MANIFEST_NAME, &size, err);

	if (!text)
		return -1;
	int failed = manifest_parse(manifest, text, size, err);
	free(text);
	if (failed)
		error_prefix(err, "%s is damaged", MANIFEST_NAME);
	return failed;
}

/* ---- files ---- */

/* A name that stands there can be anything: what a terminal would obey is shown as '?'. */
static bool say(const char *name, const char *what)
{
	char *shown = mem_text(name);

	utf8_make_shown(shown);
	printf("%-20s %s\n", shown, what);
	free(shown);
	return strcmp(what, "unchanged") == 0;
}

/* Neither the same nor changed, as far as this user can tell: the journal is its owner's alone. */
static enum verify_end say_unread(const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "UNREAD: %s", strerror(errno));
	say(name, text);
	return VERIFY_SET_UP;
}

static enum verify_end say_of(const char *name, const char *what)
{
	return say(name, what) ? VERIFY_GOOD : VERIFY_CHANGED;
}

static enum verify_end check_digest(int fd, const struct manifest_file *file)
{
	char digest[SIGN_DIGEST_TEXT], text[128];
	uint64_t size_bytes;
	struct error err;

	if (sign_digest(fd, file->name, digest, &size_bytes, &err) < 0)
		return say_unread(file->name);
	if (size_bytes != file->size_bytes)
		snprintf(text, sizeof(text), "CHANGED: %" PRIu64 " bytes, %" PRIu64 " were written",
			 size_bytes, file->size_bytes);
	else
		snprintf(text, sizeof(text), "%s",
			 strcmp(digest, file->sha256) == 0 ? "unchanged"
							   : "CHANGED: other contents");
	return say_of(file->name, text);
}

static enum verify_end check_file(int directory, const struct manifest_file *file)
{
	int fd = openat(directory, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno != ENOENT && errno != ELOOP && errno != ENXIO)
		return say_unread(file->name);
	if (fd < 0)
		return say_of(file->name, errno == ENOENT  ? "MISSING"
					  : errno == ELOOP ? "CHANGED: a symbolic link now"
							   : "CHANGED: no plain file now");
	enum verify_end end = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
				      ? check_digest(fd, file)
				      : say_of(file->name, "CHANGED: no plain file now");
	close(fd);
	return end;
}

static bool is_listed(const struct manifest *manifest, const char *name)
{
	for (uint32_t i = 0; i < manifest->files_count; i++)
		if (text_is(manifest->files[i].name, name))
			return true;
	return false;
}

/* NULL at the end, then without errno. */
static struct dirent *next(DIR *entries)
{
	errno = 0;
	return readdir(entries);
}

/* What stands there and is in no line of the manifest: of the directory that is open, whatever its
 * name leads to by now. */
static uint32_t count_extra(const struct manifest *manifest, int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	uint32_t extra = 0;

	for (struct dirent *entry; entries && (entry = next(entries));) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strcmp(name, MANIFEST_NAME) == 0 || is_listed(manifest, name))
			continue;
		say(name, "EXTRA: was not there when the run was written");
		extra++;
	}
	if (errno) {
		say(".", "CHANGED: what else stands there cannot be read");
		extra++;
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
	return extra;
}

/* Changed when anything is; else whether all of it could be read. */
static enum verify_end check_files(const struct manifest *manifest, int directory)
{
	bool changed = false, unread = false;

	for (uint32_t i = 0; i < manifest->files_count; i++) {
		enum verify_end end = check_file(directory, &manifest->files[i]);
		changed |= end == VERIFY_CHANGED;
		unread |= end == VERIFY_SET_UP;
	}
	changed |= count_extra(manifest, directory) > 0;
	return changed ? VERIFY_CHANGED : unread ? VERIFY_SET_UP : VERIFY_GOOD;
}

/* ---- signature ---- */

static enum verify_end check_signature(const struct manifest *manifest, const struct sign_key *key)
{
	char public_key[SIGN_PUBLIC_TEXT];

	if (!manifest_is_signed(manifest)) {
		puts(key ? "signature            NONE: this run was not signed"
			 : "signature            none: damage would show, forgery would not");
		return key ? VERIFY_CHANGED : VERIFY_UNPROVED;
	}
	if (!manifest_is_good(manifest)) {
		puts("signature            BAD: the manifest is not what was signed");
		return VERIFY_CHANGED;
	}
	if (!key) {
		printf("signature            good, by key %s, which is not known here: --key "
		       "FILE\n",
		       manifest->public_key);
		return VERIFY_UNPROVED;
	}
	sign_key_public(key, public_key);
	if (strcmp(public_key, manifest->public_key) != 0) {
		printf("signature            OTHER KEY: good, but by key %s and not by %s\n",
		       manifest->public_key, public_key);
		return VERIFY_CHANGED;
	}
	printf("signature            good, by key %s\n", public_key);
	return VERIFY_GOOD;
}

static int verify(int directory, const char *path, const struct sign_key *key, struct error *err)
{
	struct manifest manifest;

	if (read_manifest(&manifest, directory, err) < 0)
		return -1;
	printf("run %s in '%s'\n", manifest.run, path);
	enum verify_end files = check_files(&manifest, directory);
	enum verify_end end = check_signature(&manifest, key);
	record_release(&manifest_table, &manifest);
	if (files == VERIFY_CHANGED || end == VERIFY_CHANGED)
		return VERIFY_CHANGED;
	return files == VERIFY_GOOD ? (int)end : (int)files;
}

/* In place of what it lacks. */
static void tell_unfinished(const char *directory, struct error *err)
{
	char *path = mem_format("%s/" MANIFEST_NAME, directory);
	char *why = access(path, F_OK) < 0 ? store_again_unfinished(directory) : NULL;

	if (why)
		error_set(err, ERROR_SYSTEM, "%s", why);
	free(why);
	free(path);
}

int verify_execute(const char *directory, const char *key_path)
{
	struct sign_key *key = NULL;
	struct error err = {0};
	int code = -1, fd = -1;

	if (key_path && !(key = sign_key_read_public(key_path, &err)))
		goto out;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		error_set(&err, ERROR_SYSTEM, "cannot open run directory '%s': %s", directory,
			  strerror(errno));
	else
		code = verify(fd, directory, key, &err);
	if (code < 0)
		tell_unfinished(directory, &err);
out:
	if (code < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : VERIFY_SET_UP;
	}
	if (fd >= 0)
		close(fd);
	sign_key_free(key);
	return code;
}
