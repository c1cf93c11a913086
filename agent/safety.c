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

static bool is_allowed(const struct agent_config *config, const char *directory)
{
	for (uint32_t i = 0; i < config->allow_paths_count; i++)
		if (is_under_entry(directory, config->allow_paths[i].name))
			return true;
	return is_under_entry(directory, config->scratch);
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

/* `directory` of where the file will be, all links and dots resolved. */
static int check_directory(const struct agent_config *config, const char *path,
			   const char *directory, struct error *err)
{
	if (path[0] != '/' && !is_under_entry(directory, config->scratch)) {
		error_set(
			err, ERROR_REFUSED,
			"path '%s' leads out of the scratch directory '%s', to '%s': give a whole "
			"path that agent.yaml allows",
			path, config->scratch, directory);
		return -1;
	}
	if (is_allowed(config, directory))
		return 0;
	error_set(err, ERROR_REFUSED,
		  "path '%s' is in '%s', and agent.yaml of this host does not list it: add  "
		  "allow_paths: [%s]",
		  path, directory, directory);
	return -1;
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

static char *real_directory(const char *path, struct error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		error_set(err, ERROR_REFUSED, "directory '%s': %s: make it, or name another", path,
			  strerror(errno));
	return real;
}

/* The path of a file, there or not, with its directory resolved and its name as it is. */
static char *resolve_file(const char *whole, char **directory, struct error *err)
{
	const char *slash = strrchr(whole, '/');
	const char *name = slash + 1;

	if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		error_set(err, ERROR_REFUSED, "directory '%s' does not exist: make it", whole);
		return NULL;
	}
	char *parent = mem_text(whole);
	parent[slash == whole ? 1 : slash - whole] = '\0';
	*directory = real_directory(parent, err);
	free(parent);
	if (!*directory)
		return NULL;
	return mem_format("%s/%s", strcmp(*directory, "/") == 0 ? "" : *directory, name);
}

static char *resolve(const char *whole, const struct target *target, const char *host,
		     char **directory, struct error *err)
{
	struct stat st;

	if (stat(whole, &st) < 0 || !S_ISDIR(st.st_mode))
		return resolve_file(whole, directory, err);
	*directory = real_directory(whole, err);
	if (!*directory)
		return NULL;
	char *name = safety_file_name(host, target->name);
	char *file = mem_format("%s/%s", strcmp(*directory, "/") == 0 ? "" : *directory, name);
	free(name);
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
	char *whole = NULL, *directory = NULL, *found = NULL;
	int failed = -1;

	*file = NULL;
	*place = (struct file_place){.directory = -1};
	if (check_text(target->path, err) < 0)
		return -1;
	whole = absolute(config, target->path, err);
	if (!whole)
		return -1;
	found = resolve(whole, target, host, &directory, err);
	if (!found || check_directory(config, target->path, directory, err) < 0 ||
	    open_checked(files, found, place, err) < 0)
		goto out;
	*file = found;
	found = NULL;
	failed = 0;
out:
	free(found);
	free(directory);
	free(whole);
	return failed;
}
