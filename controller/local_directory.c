#include "controller/local_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/memory.h"

/* ---- making ---- */

static int make_directory(const char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	error_set(err, ERROR_SETUP, "cannot make directory '%s' for a local agent: %s", path,
		  strerror(errno));
	return -1;
}

/* /var/tmp rather than /tmp, which is memory on many systems. */
static int make_temporary(struct local_agents *local, struct error *err)
{
	const char *base = getenv("TMPDIR");

	if (local->temporary)
		return 0;
	char *path = mem_format("%s/muster-XXXXXX", base && *base ? base : "/var/tmp");
	if (!mkdtemp(path)) {
		error_set(err, ERROR_SETUP, "cannot make a directory like '%s': %s", path,
			  strerror(errno));
		free(path);
		return -1;
	}
	local->temporary = path;
	return 0;
}

int local_directory_make(struct local_agents *local, struct local_agent *agent,
			 const struct plan_host *host, struct error *err)
{
	const char *stays = host->agents->spool, *base = stays ? stays : host->agents->scratch;

	if (stays && make_directory(stays, err) < 0)
		return -1;
	if (!base && make_temporary(local, err) < 0)
		return -1;
	if (!base)
		base = local->temporary;
	char *absolute = realpath(base, NULL);
	if (!absolute) {
		error_set(err, ERROR_SETUP, "%s directory '%s' of local agents: %s",
			  stays ? "spool" : "scratch", base, strerror(errno));
		return -1;
	}
	agent->stays = stays;
	agent->directory =
		stays ? mem_format("%s/%s", absolute, host->name)
		      : mem_format("%s/muster-%d-%s", absolute, (int)getpid(), host->name);
	char *spool = mem_format("%s/spool", agent->directory);
	char *scratch = mem_format("%s/scratch", agent->directory);
	int result = make_directory(agent->directory, err) < 0 || make_directory(spool, err) < 0 ||
				     make_directory(scratch, err) < 0
			     ? -1
			     : 0;
	free(spool);
	free(scratch);
	free(absolute);
	return result;
}

/* ---- removing ---- */

static void remove_entry(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s", directory, name);

	if (remove(path) < 0 && errno != ENOENT)
		log_warning("'%s' is left: %s", path, strerror(errno));
	free(path);
}

/* What a phase that verifies has found: the report names it. */
static bool is_evidence(const char *name)
{
	return strncmp(name, "miscompare.", strlen("miscompare.")) == 0;
}

/* Of a run that this controller could not write to its own disk; removed when there are none. */
static bool is_results(const char *spool, const char *name)
{
	if (strcmp(name, "results") != 0)
		return false;
	char *path = mem_format("%s/%s", spool, name);
	bool left = rmdir(path) < 0;
	if (left)
		log_warning("results are left in '%s'", path);
	free(path);
	return left;
}

/* The journal and whatever else the agent keeps there; plain files only. False when evidence stays.
 */
static bool remove_spool(const char *directory)
{
	char *spool = mem_format("%s/spool", directory);
	DIR *entries = opendir(spool);
	struct dirent *entry;
	bool is_empty = true;

	while (entries && (entry = readdir(entries))) {
		if (is_evidence(entry->d_name))
			is_empty = false;
		else if (is_results(spool, entry->d_name))
			is_empty = false;
		else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_entry(spool, entry->d_name);
	}
	if (entries)
		closedir(entries);
	free(spool);
	return is_empty;
}

/* While a file stands in the scratch directory (kept, or not removable), the journal that knows it
 * stays as well. */
void local_directory_remove(const char *directory)
{
	char *scratch = mem_format("%s/scratch", directory);
	bool left = rmdir(scratch) < 0 && errno != ENOENT;

	if (left)
		log_warning("files are left in '%s': %s", scratch, strerror(errno));
	free(scratch);
	if (left || !remove_spool(directory))
		return;
	remove_entry(directory, "spool");
	remove_entry(directory, "agent.yaml");
	remove_entry(directory, "");
}
