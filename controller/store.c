#include "controller/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "controller/journal.h"
#include "controller/manifest.h"
#include "controller/report/report.h"

#define RUNS "muster-runs"

static char *temporary_name(const char *directory)
{
	return mem_format("%s.partial", directory);
}

/* ---- files ---- */

static int cannot(const char *what, const char *path, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot %s '%s': %s", what, path, strerror(errno));
	return -1;
}

static FILE *create(const char *path, struct error *err)
{
	FILE *file = fopen(path, "wx");

	if (!file)
		cannot("make", path, err);
	return file;
}

/* Closes a file that was written; it is whole and on the disk, or that is an error. */
static int finish_file(FILE *file, const char *path, struct error *err)
{
	/* Of a write that failed before, errno still tells the reason. */
	bool failed = ferror(file) || fflush(file) || fsync(fileno(file));
	int code = failed ? errno : 0;

	if (fclose(file) && !failed) {
		failed = true;
		code = errno;
	}
	errno = code ? code : EIO;
	return failed ? cannot("write", path, err) : 0;
}

static int sync_directory(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return cannot("open", path, err);
	/* Some file systems cannot sync a directory, and say so with EINVAL. */
	int failed = fsync(fd) && errno != EINVAL;
	int code = errno;
	close(fd);
	errno = code;
	return failed ? cannot("sync", path, err) : 0;
}

static int sync_parent(const char *path, struct error *err)
{
	char *copy = mem_text(path);
	int status = sync_directory(dirname(copy), err);

	free(copy);
	return status;
}

static int copy_bytes(FILE *from, const char *from_path, FILE *to, struct error *err)
{
	char bytes[16384];
	size_t size;

	while ((size = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, size, to); /* finish_file looks whether that went well */
	return ferror(from) ? cannot("read", from_path, err) : 0;
}

/* A secret is for nobody else to read. */
static int copy_file(const char *from_path, const char *path, bool is_secret, struct error *err)
{
	FILE *from = fopen(from_path, "r");
	struct stat st;

	if (!from)
		return cannot("read", from_path, err);
	if (fstat(fileno(from), &st) == 0 && !S_ISREG(st.st_mode)) {
		error_set(err, ERROR_SYSTEM,
			  "'%s' is no plain file, and was read to its end already: save the plan "
			  "in a file, so that a copy can stand beside the results",
			  from_path);
		fclose(from);
		return -1;
	}
	FILE *to = create(path, err);
	if (!to) {
		fclose(from);
		return -1;
	}
	/* Nothing is in it yet. */
	if (is_secret)
		fchmod(fileno(to), 0600);
	int status = copy_bytes(from, from_path, to, err);
	fclose(from);
	if (status) {
		fclose(to);
		return -1;
	}
	return finish_file(to, path, err);
}

static void remove_file(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s", directory, name);

	unlink(path);
	free(path);
}

/* ---- begin ---- */

/* Without slashes at its end, so that a suffix can follow. */
static char *directory_name(const char *out, const char *run)
{
	char *name = out ? mem_text(out) : mem_format(RUNS "/%s", run);
	size_t length = strlen(name);

	while (length > 1 && name[length - 1] == '/')
		name[--length] = '\0';
	return name;
}

static int check_absent(const char *path, const char *way_out, struct error *err)
{
	struct stat st;

	if (lstat(path, &st) == 0) {
		error_set(err, ERROR_SYSTEM, "'%s' exists already: %s", path, way_out);
		return -1;
	}
	return errno == ENOENT ? 0 : cannot("make", path, err);
}

/* What another run keeps there may be all that leads to what it measured. */
static int check_no_other(const char *directory, const char *temporary, struct error *err)
{
	struct stat st;

	if (lstat(temporary, &st) < 0)
		return errno == ENOENT ? 0 : cannot("make", temporary, err);
	if (journal_check_free(temporary, err) < 0) {
		error_prefix(err, "'%s' is taken, name another directory with --out", directory);
		return -1;
	}
	error_set(err, ERROR_SYSTEM,
		  "'%s' is of a run that was broken off: `muster collect %s` makes the result of "
		  "what it measured, `muster run --resume %s` goes on with it; or name another "
		  "directory with --out",
		  temporary, directory, directory);
	return -1;
}

static int make_runs(struct error *err)
{
	if (mkdir(RUNS, 0777) == 0)
		return sync_directory(".", err);
	return errno == EEXIST ? 0 : cannot("make directory", RUNS, err);
}

static int make_directory(const char *directory, const char *temporary, bool is_default,
			  struct error *err)
{
	if (!*directory) {
		error_set(err, ERROR_SYSTEM, "--out is empty: name a directory to be made");
		return -1;
	}
	if (is_default && make_runs(err) < 0)
		return -1;
	if (check_absent(directory, "name another directory with --out", err) ||
	    check_no_other(directory, temporary, err))
		return -1;
	if (mkdir(temporary, 0777) < 0)
		return cannot("make directory", temporary, err);
	return 0;
}

int store_begin(const char *out, const char *run, const char *plan_path, char **directory,
		struct error *err)
{
	char *name = directory_name(out, run), *temporary = temporary_name(name);
	char *plan = mem_format("%s/plan.yaml", temporary);
	int status = make_directory(name, temporary, !out, err);

	*directory = NULL;
	if (status == 0 && copy_file(plan_path, plan, false, err) < 0) {
		store_abandon(name);
		status = -1;
	}
	if (status == 0)
		*directory = name;
	else
		free(name);
	free(plan);
	free(temporary);
	return status;
}

/* ---- finish ---- */

static int write_json(const char *path, const struct record_table *table, const void *record,
		      struct error *err)
{
	FILE *file = create(path, err);

	if (!file)
		return -1;
	char *text = record_json_format(table, record);
	fputs(text, file);
	free(text);
	return finish_file(file, path, err);
}

static int write_timeline(const char *path, const struct result *result,
			  const struct result_series *series, struct error *err)
{
	FILE *file = create(path, err);

	if (!file)
		return -1;
	report_timeline(result, series, file);
	return finish_file(file, path, err);
}

static int write_junit(const char *path, const struct result *result, struct error *err)
{
	FILE *file = create(path, err);

	if (!file)
		return -1;
	report_junit(result, file);
	return finish_file(file, path, err);
}

/* ---- the manifest ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct name *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(names[i].name);
	free(names);
}

/* The files of a directory, sorted. */
static int list_files(const char *path, struct name **names, uint32_t *count, struct error *err)
{
	DIR *directory = opendir(path);

	*names = NULL;
	*count = 0;
	if (!directory)
		return cannot("read", path, err);
	for (struct dirent *entry; (entry = readdir(directory));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			struct name *name = RECORD_APPEND(*names, *count);
			name->name = mem_text(entry->d_name);
		}
	closedir(directory);
	if (*count)
		qsort(*names, *count, sizeof(**names), by_name);
	return 0;
}

static int add_files(struct manifest *manifest, const char *temporary, const char *spare,
		     struct error *err)
{
	struct name *names;
	uint32_t count;
	int failed = list_files(temporary, &names, &count, err);

	for (uint32_t i = 0; i < count && !failed; i++)
		if (!text_is(spare, names[i].name))
			failed = manifest_add(manifest, temporary, names[i].name, err);
	free_names(names, count);
	return failed;
}

/* Last, over all that is there and stays. */
static int write_manifest(const char *temporary, const char *run, const struct sign_key *key,
			  const char *spare, struct error *err)
{
	struct manifest manifest = {.schema = mem_text(MANIFEST_SCHEMA), .run = mem_text(run)};
	char *path = mem_format("%s/" MANIFEST_NAME, temporary);
	int failed = add_files(&manifest, temporary, spare, err);

	if (!failed) {
		manifest_sign(&manifest, key);
		failed = write_json(path, &manifest_table, &manifest, err);
	}
	free(path);
	record_release(&manifest_table, &manifest);
	return failed;
}

/* ---- all of it ---- */

static int take_name(const char *directory, const char *temporary, struct error *err)
{
	/* rename() would take the place of an empty directory that came up meanwhile. */
	if (check_absent(directory, "something else made it during the run", err))
		return -1;
	if (rename(temporary, directory) == 0)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot rename '%s' to '%s': %s", temporary, directory,
		  strerror(errno));
	return -1;
}

static int write_all(const char *directory, const char *temporary, const struct result *result,
		     const struct result_series *series, const struct sign_key *key,
		     const char *spare, struct error *err)
{
	char *json = mem_format("%s/run.json", temporary);
	char *timeline = mem_format("%s/timeline.csv", temporary);
	char *junit = mem_format("%s/junit.xml", temporary);
	int failed = write_json(json, &result_table, result, err) ||
		     write_timeline(timeline, result, series, err) ||
		     write_junit(junit, result, err) ||
		     write_manifest(temporary, text_or(result->run, "?"), key, spare, err) ||
		     sync_directory(temporary, err) || take_name(directory, temporary, err);

	free(json);
	free(timeline);
	free(junit);
	return failed ? -1 : 0;
}

int store_add(const char *directory, const char *name, const struct bytes *bytes, struct error *err)
{
	char *temporary = temporary_name(directory);
	char *path = mem_format("%s/%s", temporary, name);
	FILE *file = create(path, err);
	int status = -1;

	if (file) {
		fwrite(bytes->data, 1, bytes->size, file);
		status = finish_file(file, path, err);
	}
	free(path);
	free(temporary);
	return status;
}

int store_copy_secret(const char *directory, const char *name, const char *from, struct error *err)
{
	char *temporary = temporary_name(directory);
	char *path = mem_format("%s/%s", temporary, name);
	int status = copy_file(from, path, true, err);

	free(path);
	free(temporary);
	return status;
}

int store_sync(const char *directory, struct error *err)
{
	char *temporary = temporary_name(directory);
	int status = sync_directory(temporary, err) || sync_parent(temporary, err) ? -1 : 0;

	free(temporary);
	return status;
}

int store_finish(const char *directory, const struct result *result,
		 const struct result_series *series, const struct sign_key *key, const char *spare,
		 struct error *err)
{
	char *temporary = temporary_name(directory);
	int status = write_all(directory, temporary, result, series, key, spare, err);

	if (status)
		error_prefix(err, "the results are not whole");
	else
		status = sync_parent(directory, err);
	if (!status && spare)
		remove_file(directory, spare);
	free(temporary);
	return status;
}

void store_abandon(const char *directory)
{
	char *temporary = temporary_name(directory);
	struct name *names;
	uint32_t count;
	struct error ignored;

	list_files(temporary, &names, &count, &ignored);
	for (uint32_t i = 0; i < count; i++)
		remove_file(temporary, names[i].name);
	free_names(names, count);
	rmdir(temporary);
	free(temporary);
}

/* ---- elsewhere ---- */

static int rescue_all(const struct store_rescue *what, const char *directory, struct error *err)
{
	char *temporary = temporary_name(directory);
	int failed = store_add(directory, "plan.yaml", what->plan, err) < 0 ||
		     store_add(directory, "clock.bin", what->clocks, err) < 0 ||
		     write_all(directory, temporary, what->result, what->series, what->key, NULL,
			       err) < 0 ||
		     sync_parent(directory, err) < 0;

	free(temporary);
	return failed ? -1 : 0;
}

static bool rescue_secret(const struct store_rescue *what, const char *directory)
{
	char *temporary = temporary_name(what->directory);
	char *from = mem_format("%s/%s", temporary, what->secret);
	struct error ignored;
	bool done = store_copy_secret(directory, what->secret, from, &ignored) == 0;

	if (!done) {
		char *part = temporary_name(directory);
		remove_file(part, what->secret);
		free(part);
	}
	free(from);
	free(temporary);
	return done;
}

char *store_rescue(const struct store_rescue *what, bool *has_secret, struct error *err)
{
	const char *base = getenv("TMPDIR");
	char *out = mem_format("%s/muster-%s", base && *base ? base : "/tmp", what->run);
	char *directory = directory_name(out, NULL), *temporary = temporary_name(directory);
	bool made = make_directory(directory, temporary, false, err) == 0;

	*has_secret = made && what->answers && what->secret && rescue_secret(what, directory);
	bool done = made && rescue_all(what, directory, err) == 0;
	if (done && what->answers && (*has_secret || !what->secret))
		store_abandon(what->directory);
	if (made && !done)
		store_abandon(directory);
	free(temporary);
	free(out);
	if (done)
		return directory;
	free(directory);
	return NULL;
}
