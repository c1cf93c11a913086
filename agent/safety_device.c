/* The interlock of devices: safety_device of safety.h. */
#include "agent/safety.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/platform/platform.h"
#include "common/memory.h"
#include "common/nearest.h"

#define MOST_USES 16

/* A block device and a raw one may have the same number. */
static bool is_same_device(const struct stat *a, const struct stat *b)
{
	bool devices = S_ISBLK(a->st_mode) || S_ISCHR(a->st_mode);

	return devices && (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT) &&
	       a->st_rdev == b->st_rdev;
}

static bool is_entry(const char *entry, const struct stat *device)
{
	struct stat listed;

	return stat(entry, &listed) == 0 && is_same_device(device, &listed);
}

/* By name, or by any other name of the same device; asked before anything is opened. */
static bool is_listed(const struct agent_config *config, const char *path)
{
	struct stat wanted;
	bool there = stat(path, &wanted) == 0;

	for (uint32_t i = 0; i < config->allow_devices_count; i++) {
		const char *entry = config->allow_devices[i].name;
		if (!entry)
			continue;
		if (strcmp(entry, path) == 0)
			return true;
		if (there && is_entry(entry, &wanted))
			return true;
	}
	return false;
}

/* A name may have come to lead elsewhere since: what is open has to be what an entry means. */
static int check_open(const struct agent_config *config, int fd, const char *path,
		      struct error *err)
{
	struct stat open_one;

	for (uint32_t i = 0; fstat(fd, &open_one) == 0 && i < config->allow_devices_count; i++)
		if (config->allow_devices[i].name &&
		    is_entry(config->allow_devices[i].name, &open_one))
			return 0;
	error_set(err, ERROR_REFUSED,
		  "device '%s' became another one while it was looked at, which is not listed in "
		  "agent.yaml of this host: nothing was touched",
		  path);
	return -1;
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

static int check_listed(const struct agent_config *config, const char *path, struct error *err)
{
	if (!path || path[0] != '/' || has_control(path)) {
		error_set(err, ERROR_REFUSED, "device '%s' is not a whole path: write /dev/...",
			  path && !has_control(path) ? path : "");
		return -1;
	}
	if (is_listed(config, path))
		return 0;
	error_set(
		err, ERROR_REFUSED,
		"device '%s' is not listed in agent.yaml of this host: to let controllers use it, "
		"add  allow_devices: [\"%s\"]",
		path, path);
	return -1;
}

/* What the directory has that is nearest by name; the caller frees it, NULL: nothing is. */
static char *nearest_device(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *folder = mem_format("%.*s", (int)(name - path), path), *found = NULL;
	struct nearest nearest = nearest_start(name);
	DIR *entries = opendir(folder);

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		char *copy = mem_text(entry->d_name);
		nearest_try(&nearest, copy);
		if (nearest.name == copy) {
			free(found);
			found = copy;
		} else {
			free(copy);
		}
	}
	if (entries)
		closedir(entries);
	char *whole = found ? mem_format("%s%s", folder, found) : NULL;
	free(folder);
	free(found);
	return whole;
}

static int refuse_absent(const char *path, int number, struct error *err)
{
	if (platform_device_lack(path) == PLATFORM_LACK_NODE) {
		error_set(
			err, ERROR_REFUSED,
			"device '%s' is a path of a multipath disk, and hidden by the system: name "
			"that disk",
			path);
		error_code(err, "HIDDEN");
		return -1;
	}
	char *near = number == ENOENT ? nearest_device(path) : NULL;
	error_set(err, ERROR_REFUSED, "device '%s': %s%s%s%s", path,
		  number == ENOENT ? "does not exist on this host" : strerror(number),
		  near ? "; nearest is '" : "", near ? near : "", near ? "'" : "");
	if (number == ENOENT || number == ENOTDIR)
		error_code(err, "NO_SUCH_DEVICE");
	free(near);
	return -1;
}

static int refuse_empty(const char *path, struct error *err)
{
	bool removable = platform_device_lack(path) == PLATFORM_LACK_MEDIUM;

	error_set(err, ERROR_REFUSED, "device '%s' is empty (0 bytes): %s", path,
		  removable ? "no medium is in it" : "is a file or disk attached to it?");
	error_code(err, removable ? "NO_MEDIUM" : "ZERO_SIZE");
	return -1;
}

static int check_kind(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		return refuse_absent(path, errno, err);
	}
	if (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode))
		return 0;
	error_set(err, ERROR_REFUSED, "'%s' is %s, not a device: name a file with 'path'", path,
		  S_ISREG(st.st_mode)   ? "a regular file"
		  : S_ISDIR(st.st_mode) ? "a directory"
					: "something else");
	error_code(err, "NOT_A_DEVICE");
	return -1;
}

static int check_storage(int fd, const char *path, struct platform_storage *storage,
			 struct error *err)
{
	if (platform_storage(fd, path, storage, err) < 0) {
		err->kind = ERROR_REFUSED;
		return -1;
	}
	if (!storage->device) {
		error_set(err, ERROR_REFUSED, "'%s' is no disk: name a block device or raw disk",
			  path);
		error_code(err, "NOT_A_DEVICE");
		return -1;
	}
	if (storage->size_bytes > 0)
		return 0;
	return refuse_empty(path, err);
}

/* The identity as a scalar that YAML takes as it stands. */
static char *quote(const char *text)
{
	char *quoted = mem_new(2 * strlen(text) + 3, 1), *to = quoted;

	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to++ = '"';
	return quoted;
}

static int refuse_unarmed(const struct target *target, const char *identity, const char *data,
			  struct error *err)
{
	char *quoted = quote(identity);

	if (target->destroy)
		error_set(err, ERROR_REFUSED,
			  "'%s' is not the device that the plan says may be overwritten: the plan "
			  "has '%.300s', the device is '%.300s': if that is the one, put  destroy: "
			  "%s  "
			  "into target '%s'",
			  target->device, target->destroy, identity, quoted, target->name);
	else
		error_set(err, ERROR_REFUSED,
			  "writing to '%s' destroys what is on it%s%s%s and is not armed: to "
			  "overwrite it, put  destroy: %s  into target '%s'",
			  target->device, *data ? " (" : "", data, *data ? ")" : "", quoted,
			  target->name);
	error_code(err, *data ? "TARGET_HAS_DATA" : "NOT_ARMED");
	free(quoted);
	return -1;
}

/* `data` is what was found on it. */
static int check_armed(const struct target *target, const char *identity, const char *data,
		       struct error *err)
{
	if (!*identity || has_control(identity)) {
		error_set(
			err, ERROR_REFUSED,
			"device '%s' has no identity (WWN, serial number) that could arm it: only "
			"reading is possible",
			target->device);
		return -1;
	}
	if (target->destroy && strcmp(target->destroy, identity) == 0)
		return 0;
	return refuse_unarmed(target, identity, data, err);
}

/* Of the reasons those that say never, or the others, as one text, "; " between. The caller frees
 * it. */
static char *join(const struct platform_use *uses, int count, bool never)
{
	char *text = mem_text("");

	for (int i = 0; i < count; i++) {
		if (uses[i].never != never)
			continue;
		char *longer = mem_format("%s%s%s", text, *text ? "; " : "", uses[i].text);
		free(text);
		text = longer;
	}
	return text;
}

/* In use comes first: a line to paste that would then be refused helps nobody. */
static int check_write(int fd, const struct target *target, struct platform_openers *openers,
		       struct safety_device *device, struct error *err)
{
	struct platform_use uses[MOST_USES];
	const char *path = target->device;
	int count = platform_device_use(fd, path, openers, uses, MOST_USES, err);

	if (count < 0) {
		err->kind = ERROR_REFUSED;
		error_prefix(err, "cannot tell whether '%s' is in use, so it is not written to",
			     path);
		return -1;
	}
	char *held = join(uses, count, true), *data = join(uses, count, false);
	int failed = *held ? -1 : check_armed(target, device->identity, data, err);
	if (*held) {
		error_set(err, ERROR_REFUSED,
			  "'%s' may not be written to, whatever the plan says: %s", path, held);
		error_code(err, "TARGET_IN_USE");
	}
	free(held);
	if (failed)
		free(data);
	else
		device->data = data;
	return failed;
}

static char *note_use(int fd, const char *path)
{
	struct platform_use uses[MOST_USES];
	struct error err;
	int count = platform_device_use(fd, path, NULL, uses, MOST_USES, &err);

	if (count < 0)
		return mem_format("cannot tell whether '%s' is in use: %s", path, err.text);
	char *text = join(uses, count, true), *note = NULL;
	if (*text)
		note = mem_format("'%s' is in use, others' I/O is in its figures: %s", path, text);
	free(text);
	return note;
}

static int check(const struct agent_config *config, const struct target *target, bool write, int fd,
		 struct platform_openers *openers, struct safety_device *device, char **note,
		 struct error *err)
{
	const char *path = target->device;

	if (check_open(config, fd, path, err) < 0 ||
	    check_storage(fd, path, &device->storage, err) < 0)
		return -1;
	platform_identity(fd, path, device->identity);
	if (!write) {
		*note = note_use(fd, path);
		return 0;
	}
	return check_write(fd, target, openers, device, err);
}

int safety_device(const struct agent_config *config, const struct target *target, bool write,
		  struct platform_openers *openers, struct safety_device *device, char **note,
		  struct error *err)
{
	int fd;

	*note = NULL;
	*device = (struct safety_device){.identity = ""};
	if (check_listed(config, target->device, err) < 0 || check_kind(target->device, err) < 0)
		return -1;
	if (platform_open(target->device, false, false, &fd, err) < 0) {
		if (err->kind == ERROR_REFUSED) /* of no kind that it opens */
			error_code(err, "NOT_A_DEVICE");
		err->kind = ERROR_REFUSED;
		if (platform_device_lack(target->device) != PLATFORM_LACK_NOTHING)
			refuse_empty(target->device, err);
		return -1;
	}
	int failed = check(config, target, write, fd, openers, device, note, err);
	close(fd);
	return failed;
}
