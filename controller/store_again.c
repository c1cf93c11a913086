#include "controller/store_again.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/journal.h"
#include "controller/manifest.h"
#include "controller/store.h"

#define PARTIAL     ".partial"
#define BEFORE_MOST 1000

char *store_again_partial(const char *directory)
{
	return mem_format("%s" PARTIAL, directory);
}

/* ---- finding ---- */

static char *plain_name(const char *run)
{
	char *name = mem_text(run);
	size_t length = strlen(name), suffix = strlen(PARTIAL);

	while (length > 1 && name[length - 1] == '/')
		name[--length] = '\0';
	if (length > suffix && strcmp(name + length - suffix, PARTIAL) == 0)
		name[length - suffix] = '\0';
	return name;
}

static int read_file(const char *path, struct bytes *bytes, struct error *err)
{
	FILE *file = fopen(path, "r");
	char part[65536];
	size_t size;

	while (file && (size = fread(part, 1, sizeof(part), file)) > 0)
		bytes_append(bytes, part, size);
	int failed = !file || ferror(file) ? -1 : 0;
	if (failed)
		error_set(err, ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
	if (file)
		fclose(file);
	return failed;
}

static bool is_there(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s", directory, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A journal goes when all that it leads to is in the result; it may also have been lost. */
static int absent(const struct store_again *again, const char *partial, struct error *err)
{
	const char *directory = again->directory;

	if (is_there(directory, "run.json") && is_there(directory, MANIFEST_NAME))
		error_set(err, ERROR_USAGE,
			  "'%s' has no " JOURNAL_NAME ": that run is whole, nothing is left to "
			  "collect or to go on with",
			  directory);
	else if (is_directory(partial))
		error_set(err, ERROR_USAGE,
			  "'%s' has lost its " JOURNAL_NAME ", which alone says what the run was "
			  "about to do; what its agents have kept is fetched without it by muster "
			  "collect --plan PLAN",
			  partial);
	else if (is_directory(directory))
		error_set(err, ERROR_USAGE,
			  "'%s' is not the directory of a run: it has neither " JOURNAL_NAME
			  " nor both of run.json and " MANIFEST_NAME,
			  directory);
	else if (access(directory, F_OK) == 0)
		error_set(err, ERROR_USAGE, "'%s' is no directory: name that of a run", directory);
	else
		error_set(err, ERROR_USAGE,
			  "neither '%s' nor '%s' is there: name the directory of a run; where it "
			  "is lost, muster collect --plan PLAN asks its agents",
			  directory, partial);
	return -1;
}

int store_again_find(struct store_again *again, const char *run, struct error *err)
{
	char *partial, *plan;

	*again = (struct store_again){.directory = plain_name(run)};
	partial = store_again_partial(again->directory);
	again->has_ended = !is_there(partial, JOURNAL_NAME);
	const char *from = again->has_ended ? again->directory : partial;
	int failed = is_there(from, JOURNAL_NAME) ? 0 : absent(again, partial, err);
	plan = mem_format("%s/plan.yaml", from);
	if (!failed)
		failed = read_file(plan, &again->plan, err);
	free(plan);
	free(partial);
	if (failed)
		store_again_release(again);
	return failed;
}

char *store_again_unfinished(const char *run)
{
	char *directory = plain_name(run), *partial = store_again_partial(directory), *why = NULL;

	if (is_there(partial, JOURNAL_NAME))
		why = mem_format("'%s' is of a run that is under way, or did not come to its end: "
				 "there is no result before muster collect '%s' has made it",
				 partial, directory);
	free(partial);
	free(directory);
	return why;
}

void store_again_release(struct store_again *again)
{
	free(again->directory);
	free(again->plan.data);
	*again = (struct store_again){0};
}

/* ---- beginning ---- */

/* What the end of the run that was killed had begun to write: all but what it began with. */
static void remove_results(const char *directory)
{
	char *partial = store_again_partial(directory);
	DIR *entries = opendir(partial);

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		struct stat st;
		if (!text_is("plan.yaml", entry->d_name) && !text_is(JOURNAL_NAME, entry->d_name) &&
		    fstatat(dirfd(entries), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			unlinkat(dirfd(entries), entry->d_name, 0);
	}
	if (entries)
		closedir(entries);
	free(partial);
}

static int copy_journal(const struct store_again *again, struct error *err)
{
	char *path = mem_format("%s/" JOURNAL_NAME, again->directory);
	int failed = store_copy_secret(again->directory, JOURNAL_NAME, path, err);

	free(path);
	return failed;
}

int store_again_begin(const struct store_again *again, struct error *err)
{
	if (!again->has_ended) {
		remove_results(again->directory);
		return 0;
	}
	char *partial = store_again_partial(again->directory);
	int failed = mkdir(partial, 0777);
	if (failed)
		error_set(err, ERROR_SYSTEM, "cannot make '%s': %s", partial, strerror(errno));
	else if (store_add(again->directory, "plan.yaml", &again->plan, err) < 0 ||
		 copy_journal(again, err) < 0) {
		store_abandon(again->directory);
		failed = -1;
	}
	free(partial);
	return failed;
}

char *store_again_take(const struct store_again *again, struct error *err)
{
	struct stat st;

	*err = (struct error){0};
	if (lstat(again->directory, &st) < 0)
		return NULL;
	for (unsigned i = 1; i < BEFORE_MOST; i++) {
		char *before = mem_format("%s.before-%u", again->directory, i);
		if (lstat(before, &st) < 0 && rename(again->directory, before) == 0)
			return before;
		free(before);
	}
	error_set(err, ERROR_SYSTEM, "cannot put '%s' aside: %s", again->directory,
		  strerror(errno));
	return NULL;
}
