#include "controller/local_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"

#define FREE_NS (35 * NS_PER_S) /* an agent takes as long to end */
#define TELL_NS NS_PER_S        /* of waiting that goes on */

/* Of directories that go with the run. */
#define NAME_BEGINS "muster-"

/* ---- making ---- */

static int make_directory(const char *path, bool may_exist, struct error *err)
{
	if (mkdir(path, 0700) == 0 || (may_exist && errno == EEXIST))
		return 0;
	error_set(err, ERROR_SETUP, "cannot make directory '%s' for a local agent: %s", path,
		  strerror(errno));
	return -1;
}

/* Whoever may write to it can put a directory of his own, with links in it, in the place of one
 * that is made there, written to and emptied; unless it is sticky, as /tmp is. */
static int check_base(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		error_set(err, ERROR_SETUP, "directory '%s' of local agents: %s", path,
			  strerror(errno));
		return -1;
	}
	bool of_group = (st.st_mode & S_IWGRP) && geteuid() == 0 && st.st_gid != 0;
	bool of_others = ((st.st_mode & S_IWOTH) || of_group) && !(st.st_mode & S_ISVTX);
	if ((st.st_uid == geteuid() || st.st_uid == 0) && !of_others)
		return 0;
	error_set(err, ERROR_SETUP,
		  "other users may put their own in the place of what a local agent has in '%s' "
		  "(user %ld, mode %04o): name a directory in it that is yours alone",
		  path, (long)st.st_uid, (unsigned)st.st_mode & 07777);
	return -1;
}

/* /var/tmp rather than /tmp, which is memory on many systems. */
static int make_temporary(struct local_agents *local, struct error *err)
{
	const char *base = getenv("TMPDIR");

	if (local->temporary)
		return 0;
	base = base && *base ? base : "/var/tmp";
	if (check_base(base, err) < 0)
		return -1;
	char *path = mem_format("%s/" NAME_BEGINS "XXXXXX", base);
	if (!mkdtemp(path)) {
		error_set(err, ERROR_SETUP, "cannot make a directory like '%s': %s", path,
			  strerror(errno));
		free(path);
		return -1;
	}
	local->temporary = path;
	return 0;
}

/* What is in it is run with and removed: it has to be this user's alone, and of that name. */
static int check_directory(const char *directory, bool stays, struct error *err)
{
	const char *slash = strrchr(directory, '/');
	struct stat st;

	if (lstat(directory, &st) < 0) {
		error_set(err, ERROR_SETUP,
			  "its agent was the controller's own and ended with it, and its directory "
			  "is gone or on another machine");
		return -1;
	}
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	    (stays || (slash && strncmp(slash + 1, NAME_BEGINS, strlen(NAME_BEGINS)) == 0)))
		return 0;
	error_set(err, ERROR_SETUP,
		  "what its agent kept is in '%s', which is no directory of muster's that is this "
		  "user's alone (user %ld, mode %04o)",
		  directory, (long)st.st_uid, (unsigned)st.st_mode & 07777);
	return -1;
}

int local_directory_make(struct local_agents *local, struct local_agent *agent,
			 const struct plan_host *host, struct error *err)
{
	const char *stays = host->agents->spool, *base = stays ? stays : host->agents->scratch;

	if (stays && make_directory(stays, true, err) < 0)
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
	agent->is_temporary = base == local->temporary;
	agent->directory =
		stays ? mem_format("%s/%s", absolute, host->name)
		      : mem_format("%s/" NAME_BEGINS "%d-%s", absolute, (int)getpid(), host->name);
	char *spool = mem_format("%s/spool", agent->directory);
	char *scratch = mem_format("%s/scratch", agent->directory);
	int failed =
		check_base(absolute, err) < 0 || make_directory(agent->directory, stays, err) < 0 ||
		check_directory(agent->directory, stays, err) < 0 ||
		make_directory(spool, stays, err) < 0 || make_directory(scratch, stays, err) < 0;
	free(spool);
	free(scratch);
	free(absolute);
	return failed ? -1 : 0;
}

/* ---- directories from before ---- */

/* An agent whose controller was killed a moment ago is ending. */
static int wait_until_free(const char *directory, uint64_t began_ns, struct error *err)
{
	char *path = mem_format("%s/spool/lock", directory);
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool is_told = false, is_free = false;

	free(path);
	if (fd < 0) {
		error_set(err, ERROR_SETUP, "its directory '%s' has no agent's spool: %s",
			  directory, strerror(errno));
		return -1;
	}
	while (!(is_free = flock(fd, LOCK_EX | LOCK_NB) == 0)) {
		uint64_t waited_ns = clock_now_ns() - began_ns;
		if (waited_ns >= FREE_NS)
			break;
		if (waited_ns >= TELL_NS && !is_told)
			log_warning("the run's agent in '%s' has not ended yet: waiting",
				    directory);
		is_told = is_told || waited_ns >= TELL_NS;
		clock_sleep(10 * NS_PER_MS);
	}
	close(fd);
	if (!is_free)
		error_set(err, ERROR_SETUP, "the run's agent in '%s' does not end", directory);
	return is_free ? 0 : -1;
}

char *local_directory_before(const struct local_agents *local, const struct local_agent *agent,
			     const struct plan_host *host)
{
	if (agent->host < local->before_count && local->before[agent->host])
		return mem_text(local->before[agent->host]);
	if (!host->agents->spool)
		return NULL;
	char *path = mem_format("%s/%s", host->agents->spool, host->name);
	char *absolute = realpath(path, NULL);
	if (!absolute)
		return path;
	free(path);
	return absolute;
}

int local_directory_take(struct local_agent *agent, const struct plan_host *host,
			 const char *directory, uint64_t began_ns, struct error *err)
{
	bool stays = host->agents->spool != NULL;

	if (check_directory(directory, stays, err) < 0 ||
	    wait_until_free(directory, began_ns, err) < 0)
		return -1;
	agent->directory = mem_text(directory);
	agent->stays = stays;
	agent->is_temporary = !stays && !host->agents->scratch;
	return 0;
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

/* Of a run that this controller could not write to its own disk, or of an agent that was lost:
 * `muster collect` starts one on them. Removed when there are none. */
static bool has_results(const char *directory)
{
	char *path = mem_format("%s/spool/results", directory);
	bool left = rmdir(path) < 0 && errno != ENOENT;

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
static void remove_one(const char *directory)
{
	char *scratch = mem_format("%s/scratch", directory);
	bool left = rmdir(scratch) < 0 && errno != ENOENT;

	if (left)
		log_warning("files are left in '%s': %s", scratch, strerror(errno));
	free(scratch);
	if (left || has_results(directory) || !remove_spool(directory))
		return;
	remove_entry(directory, "spool");
	remove_entry(directory, "agent.yaml");
	remove_entry(directory, "");
}

/* Once the last of those in it is gone. */
static void remove_parent(const char *directory)
{
	char *parent = mem_text(directory);
	char *slash = strrchr(parent, '/');

	if (slash && slash != parent) {
		*slash = 0;
		rmdir(parent);
	}
	free(parent);
}

void local_directory_remove(const struct local_agent *agent)
{
	if (agent->is_broken)
		log_warning("what a local agent had made may be left, and what knows of it is in "
			    "'%s'",
			    agent->directory);
	else if (!agent->stays && !agent->why)
		remove_one(agent->directory);
	if (agent->is_temporary)
		remove_parent(agent->directory);
}
