#include "agent/safety.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/safety_name.h"
#include "common/memory.h"

/* Whether `path` is `directory` or beneath it; both are what realpath answered. */
static bool is_under(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (length == 1) /* "/" */
		return true;
	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0');
}

static bool is_under_entry(const char *directory, const char *entry)
{
	char *real = entry ? realpath(entry, NULL) : NULL;
	bool found = real && is_under(directory, real);

	free(real);
	return found;
}

/* A relative path is the scratch directory's, and stays in it. */
static char *absolute(const struct agent_config *config, const char *path, struct error *err)
{
	if (path[0] == '/')
		return mem_text(path);
	if (config->scratch)
		return mem_format("%s/%s", config->scratch, path);
	error_set(
		err, ERROR_REFUSED,
		"path '%s' is relative and this agent has no scratch directory: give a whole path, "
		"or put 'scratch' into agent.yaml",
		path);
	return NULL;
}

/* The same words whatever is there, or is not: who may not touch it learns nothing of it, nor where
 * links lead. */
static int not_listed(const struct agent_config *config, const char *path, struct error *err)
{
	if (path[0] != '/')
		error_set(err, ERROR_REFUSED,
			  "path '%s' leads out of the scratch directory '%s': give a whole path "
			  "that agent.yaml allows",
			  path, config->scratch);
	else
		error_set(err, ERROR_REFUSED,
			  "path '%s' does not stay, links resolved, where controllers may make "
			  "files: agent.yaml of this host does not list it: name another, or add "
			  "its directory to allow_paths",
			  path);
	return -1;
}

/* Whether `directory`, links and dots resolved, is where a file of this path may be. */
static bool is_allowed(const struct agent_config *config, const char *path, const char *directory)
{
	bool relative = path[0] != '/';

	for (uint32_t i = 0; !relative && i < config->allow_paths_count; i++)
		if (is_under_entry(directory, config->allow_paths[i].name))
			return true;
	return is_under_entry(directory, config->scratch);
}

static const char *kind(mode_t mode)
{
	if (S_ISLNK(mode))
		return "a symbolic link";
	if (S_ISBLK(mode) || S_ISCHR(mode))
		return "a device: name it with 'device', not with 'path'";
	return S_ISFIFO(mode) ? "a fifo" : S_ISSOCK(mode) ? "a socket" : "not a regular file";
}

/* Nothing there, or what muster made. */
static int check_file(const struct made_files *files, const char *file,
		      const struct file_place *place, struct error *err)
{
	struct stat st;

	if (!file_place_stat(place, &st)) {
		if (errno == ENOENT)
			return 0;
		error_set(err, ERROR_REFUSED, "cannot stat '%s': %s", file, strerror(errno));
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		error_set(err, ERROR_REFUSED, "'%s' is %s", file, kind(st.st_mode));
		return -1;
	}
	if (made_files_has(files, file, place))
		return 0;
	error_set(err, ERROR_REFUSED,
		  "'%s' exists and was not made by muster, as far as this agent's spool knows: "
		  "remove it, or name another path",
		  file);
	return -1;
}

/* What a path means: the directory of the file, all links and dots resolved, and its name. */
struct meaning {
	char *directory;  /* NULL: there is none, for the reason in `fault` */
	const char *name; /* NULL: muster's own name */
	int fault;        /* 0: the path ends in '/' or dots */
};

/* Of what cannot be resolved, the deepest directory that is there: where it leads to so far. NULL
 * behind a link that leads nowhere: it could be to anything. */
static char *nearest_directory(const char *whole)
{
	char *path = mem_text(whole), *real = NULL, *slash;
	struct stat st;

	while (!real && (slash = strrchr(path, '/')) && strcmp(path, "/") != 0) {
		slash[slash == path] = '\0';
		real = realpath(path, NULL);
		if (!real && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
			break;
	}
	free(path);
	return real;
}

static void find_meaning(struct meaning *meaning, const char *whole)
{
	const char *slash = strrchr(whole, '/');
	const char *name = slash + 1;
	struct stat st;

	*meaning = (struct meaning){.name = name};
	if (stat(whole, &st) == 0 && S_ISDIR(st.st_mode)) {
		meaning->name = NULL;
		meaning->directory = realpath(whole, NULL);
	} else if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
		char *parent = mem_text(whole);
		parent[slash == whole ? 1 : slash - whole] = '\0';
		meaning->directory = realpath(parent, NULL);
		free(parent);
	} else {
		return;
	}
	meaning->fault = errno;
}

/* Refuses a path that means nothing; why is said only of what is in the lists. */
static int refuse_meaning(const struct agent_config *config, const char *path, const char *whole,
			  int fault, struct error *err)
{
	char *nearest = nearest_directory(whole);

	if (!nearest || !is_allowed(config, path, nearest))
		not_listed(config, path, err);
	else if (fault)
		error_set(err, ERROR_REFUSED, "directory of '%s': %s: make it, or name another",
			  whole, strerror(fault));
	else
		error_set(err, ERROR_REFUSED, "directory '%s' does not exist: make it", whole);
	free(nearest);
	return -1;
}

/* The path of the file, there or not, with its directory resolved and its name as it is; NULL when
 * that is not where the lists lead. */
static char *resolve(const struct agent_config *config, const struct target *target,
		     const char *whole, const char *host, struct error *err)
{
	struct meaning meaning;
	char *file = NULL;

	find_meaning(&meaning, whole);
	if (!meaning.directory) {
		refuse_meaning(config, target->path, whole, meaning.fault, err);
	} else if (!is_allowed(config, target->path, meaning.directory)) {
		not_listed(config, target->path, err);
	} else {
		char *own = meaning.name ? NULL : safety_file_name(host, target->name);
		file = mem_format("%s/%s",
				  strcmp(meaning.directory, "/") == 0 ? "" : meaning.directory,
				  own ? own : meaning.name);
		free(own);
	}
	free(meaning.directory);
	return file;
}

static int check_text(const char *path, struct error *err)
{
	if (!path || !*path) {
		error_set(err, ERROR_REFUSED, "the target has an empty path: give a directory");
		return -1;
	}
	for (const char *c = path; *c; c++) {
		if ((unsigned char)*c >= ' ' && *c != 0x7f)
			continue;
		error_set(err, ERROR_REFUSED,
			  "a path has the control character 0x%02x in it: name another",
			  (unsigned)(unsigned char)*c);
		return -1;
	}
	if (strlen(path) < PATH_MAX)
		return 0;
	error_set(err, ERROR_REFUSED, "a path has %zu bytes, the most is %d", strlen(path),
		  PATH_MAX - 1);
	return -1;
}

/* What was held against the list is what is opened: as it stands, without any link. */
static int open_checked(const struct made_files *files, const char *file, struct file_place *place,
			struct error *err)
{
	if (file_place_open(place, file, err) < 0)
		return -1;
	if (check_file(files, file, place, err) == 0)
		return 0;
	file_place_close(place);
	return -1;
}

int safety_file(const struct agent_config *config, const struct made_files *files,
		const struct target *target, const char *host, char **file,
		struct file_place *place, struct error *err)
{
	*file = NULL;
	*place = (struct file_place){.directory = -1};
	if (check_text(target->path, err) < 0)
		return -1;
	char *whole = absolute(config, target->path, err);
	if (!whole)
		return -1;
	char *found = resolve(config, target, whole, host, err);
	free(whole);
	if (!found || open_checked(files, found, place, err) < 0) {
		free(found);
		return -1;
	}
	*file = found;
	return 0;
}
