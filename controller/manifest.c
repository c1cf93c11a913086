#include "controller/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#define MOST_FILES 1024

static const struct record_row file_rows[] = {
	{MEMBER(struct manifest_file, name), .required = true, .doc = "of the file"},
	{MEMBER(struct manifest_file, size_bytes), .doc = "of the file"},
	{MEMBER(struct manifest_file, sha256), .required = true, .doc = "hexadecimal"},
};
static const struct record_table file_table = RECORD_TABLE(
	struct manifest_file, "file", file_rows, "a file of the run directory as it was written");

static const struct record_row manifest_rows[] = {
	{MEMBER(struct manifest, schema), .required = true, .doc = MANIFEST_SCHEMA},
	{MEMBER(struct manifest, run), .required = true, .doc = "name of the run"},
	{MEMBER_LIST(struct manifest, files, file_table), .doc = "all but the manifest"},
	{MEMBER(struct manifest, public_key), .doc = "Ed25519, of who signed it"},
	{MEMBER(struct manifest, signature), .doc = "Ed25519"},
};
const struct record_table manifest_table = RECORD_TABLE(struct manifest, "manifest", manifest_rows,
							"MANIFEST.json of a run directory");

/* ---- making ---- */

int manifest_add(struct manifest *manifest, const char *directory, const char *name,
		 struct error *err)
{
	char digest[SIGN_DIGEST_TEXT];
	uint64_t size_bytes;
	char *path = mem_format("%s/%s", directory, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int failed = -1;

	if (fd < 0)
		error_set(err, ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
	else
		failed = sign_digest(fd, path, digest, &size_bytes, err);
	if (!failed) {
		struct manifest_file *file = RECORD_APPEND(manifest->files, manifest->files_count);
		file->name = mem_text(name);
		file->size_bytes = size_bytes;
		file->sha256 = mem_text(digest);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return failed;
}

/* ---- signing ---- */

static void append(struct bytes *bytes, char *line)
{
	bytes_append(bytes, line, strlen(line));
	free(line);
}

/* What is signed: manifest.h. */
static void signed_text(const struct manifest *manifest, struct bytes *bytes)
{
	append(bytes, mem_format("%s\nrun %s\n", manifest->schema, manifest->run));
	for (uint32_t i = 0; i < manifest->files_count; i++)
		append(bytes, mem_format("%s %" PRIu64 " %s\n", manifest->files[i].sha256,
					 manifest->files[i].size_bytes, manifest->files[i].name));
}

void manifest_sign(struct manifest *manifest, const struct sign_key *key)
{
	char public_key[SIGN_PUBLIC_TEXT], signature[SIGN_SIGNATURE_TEXT];
	struct bytes bytes = {0};

	if (!key)
		return;
	signed_text(manifest, &bytes);
	sign_key_public(key, public_key);
	sign_make(key, bytes.data, bytes.size, signature);
	manifest->public_key = mem_text(public_key);
	manifest->signature = mem_text(signature);
	free(bytes.data);
}

bool manifest_is_signed(const struct manifest *manifest)
{
	return manifest->signature != NULL;
}

bool manifest_is_good(const struct manifest *manifest)
{
	struct bytes bytes = {0};

	signed_text(manifest, &bytes);
	bool good = sign_is_good(manifest->public_key, bytes.data, bytes.size, manifest->signature);
	free(bytes.data);
	return good;
}

/* ---- reading ---- */

static bool is_hex(const char *text, size_t length)
{
	return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

/* Neither a way out of the directory nor a line of its own in what is signed. */
static bool is_plain(const char *name)
{
	if (!*name || *name == '.' || strlen(name) > 255)
		return false;
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f || *name == '/')
			return false;
	return true;
}

static int refuse(struct error *err, const char *text)
{
	error_set(err, ERROR_USAGE, "%s", text);
	return -1;
}

static int check_files(const struct manifest *manifest, struct error *err)
{
	if (manifest->files_count > MOST_FILES)
		return refuse(err, "files: more than 1024");
	for (uint32_t i = 0; i < manifest->files_count; i++) {
		const struct manifest_file *file = &manifest->files[i];
		if (!is_plain(file->name) || text_is(file->name, MANIFEST_NAME)) {
			error_set(err, ERROR_USAGE, "files[%u].name is no plain name of a file", i);
			return -1;
		}
		if (!is_hex(file->sha256, SIGN_DIGEST_TEXT - 1)) {
			error_set(err, ERROR_USAGE,
				  "files[%u].sha256 is not 64 hexadecimal digits, lower case", i);
			return -1;
		}
		for (uint32_t k = 0; k < i; k++)
			if (text_is(manifest->files[k].name, file->name)) {
				error_set(err, ERROR_USAGE, "files[%u]: '%s' stands twice", i,
					  file->name);
				return -1;
			}
	}
	return 0;
}

static int check(const struct manifest *manifest, struct error *err)
{
	if (!text_is(manifest->schema, MANIFEST_SCHEMA)) {
		error_set(err, ERROR_USAGE, "schema is '%.60s', this muster knows '%s'",
			  manifest->schema, MANIFEST_SCHEMA);
		return -1;
	}
	if (!is_plain(manifest->run))
		return refuse(err, "run is no name of a run");
	if (!manifest->public_key != !manifest->signature)
		return refuse(err, "of public_key and signature only one is there");
	if (manifest->signature && (!is_hex(manifest->public_key, SIGN_PUBLIC_TEXT - 1) ||
				    !is_hex(manifest->signature, SIGN_SIGNATURE_TEXT - 1)))
		return refuse(err, "public_key or signature is not hexadecimal of 32 and 64 bytes");
	return check_files(manifest, err);
}

int manifest_parse(struct manifest *manifest, const char *text, size_t size, struct error *err)
{
	*manifest = (struct manifest){0};
	if (strlen(text) != size)
		return refuse(err, "there is a NUL byte in it");
	if (record_json_parse(&manifest_table, manifest, text, err) < 0)
		return -1;
	if (check(manifest, err) == 0)
		return 0;
	record_release(&manifest_table, manifest);
	return -1;
}
