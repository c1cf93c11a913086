#include "agent/platform/linux_cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/platform/linux_mounts.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"
#include "common/units.h"

#define NO_LIMIT  (UINT64_C(1) << 62) /* v1 writes "none" as the largest multiple of a page */
#define MOST_PATH 400

/* ---- where the groups are ---- */

/* Is `word` one of those that commas part? */
static bool lists(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if ((at == text || at[-1] == ',') && (at[length] == ',' || !at[length]))
			return true;
	return false;
}

/* The path of our group in a hierarchy, from /proc/self/cgroup: "4:memory:/a/b", for v2 "0::/a/b".
 * `controller` is NULL for v2. */
static bool own_group(const char *root, const char *controller, char path[MOST_PATH])
{
	char name[64], line[MOST_PATH + 100];
	bool found = false;

	snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
	FILE *file = fopen(line, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		char *first = strchr(line, ':'), *second = first ? strchr(first + 1, ':') : NULL;
		if (!second)
			continue;
		*second = '\0';
		posix_copy(name, sizeof(name), first + 1);
		found = controller ? lists(name, controller) : !name[0];
		if (found) {
			second[1 + strcspn(second + 1, "\n")] = '\0';
			found = posix_copy(path, MOST_PATH, second + 1);
		}
	}
	fclose(file);
	return found;
}

static const struct mount *hierarchy(const struct mounts *mounts, const char *controller)
{
	for (uint32_t i = 0; i < mounts->count; i++) {
		const struct mount *mount = &mounts->mounts[i];
		if (controller ? !strcmp(mount->type, "cgroup") && lists(mount->options, controller)
			       : !strcmp(mount->type, "cgroup2"))
			return mount;
	}
	return NULL;
}

/* The folder of our group, and how much of its name is the mount's. A container's mount shows the
 * hierarchy from its own group on, while /proc may name the path from the host's root. */
static bool own_folder(const char *root, const struct mounts *mounts, const char *controller,
		       char folder[MOST_PATH], size_t *top)
{
	const struct mount *mount = hierarchy(mounts, controller);
	char group[MOST_PATH];

	if (!mount || !own_group(root, controller, group))
		return false;
	const char *inside = group;
	size_t length = strcmp(mount->root, "/") ? strlen(mount->root) : 0;
	if (length && !strncmp(group, mount->root, length))
		inside += length;
	else if (length)
		inside = ""; /* a path that the mount does not show: what it shows is ours */
	int written = snprintf(folder, MOST_PATH, "%s%s%s", root, mount->point, inside);
	*top = strlen(root) + strlen(mount->point);
	if (written < 0 || written >= MOST_PATH)
		return false;
	while ((size_t)written > *top && folder[written - 1] == '/')
		folder[--written] = '\0';
	return true;
}

/* From a group to the one above it; false at the mount's own. */
static bool go_up(char *folder, size_t top)
{
	char *slash = strrchr(folder, '/');

	if (strlen(folder) <= top || !slash || (size_t)(slash - folder) < top)
		return false;
	*slash = '\0';
	return true;
}

/* ---- limits ---- */

static void take_memory(const char *folder, const char *name, uint64_t *limit)
{
	uint64_t bytes;

	if (sysfs_number(&bytes, "%s/%s", folder, name) && bytes < NO_LIMIT &&
	    (!*limit || bytes < *limit))
		*limit = bytes;
}

static void take_cpu(uint64_t quota, uint64_t period, uint32_t *limit)
{
	if (!quota || !period || quota > UINT32_MAX || period > UINT32_MAX)
		return;
	uint64_t thousandths = quota * 1000 / period;
	if (thousandths <= UINT32_MAX && (!*limit || thousandths < *limit))
		*limit = thousandths ? (uint32_t)thousandths : 1;
}

static void take_cpu_v1(const char *folder, uint32_t *limit)
{
	uint64_t quota, period;

	/* -1, no quota, is no number here */
	if (sysfs_number(&quota, "%s/cpu.cfs_quota_us", folder) &&
	    sysfs_number(&period, "%s/cpu.cfs_period_us", folder))
		take_cpu(quota, period, limit);
}

static void take_cpu_v2(const char *folder, uint32_t *limit)
{
	uint64_t quota, period;
	char text[64];

	if (sysfs_text(text, sizeof(text), "%s/cpu.max", folder) &&
	    sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) == 2)
		take_cpu(quota, period, limit);
}

/* A device's number as its name, where it has one. */
static void device_name(unsigned major, unsigned minor, char *text, size_t size)
{
	char name[PLATFORM_DEVICE_NAME];

	if (sysfs_name(makedev(major, minor), name))
		posix_copy(text, size, name);
	else
		snprintf(text, size, "%u:%u", major, minor);
}

static void add_rate(char *text, size_t size, const char *rate, uint64_t limit, bool bytes)
{
	char amount[UNITS_TEXT_SIZE];
	size_t used = strlen(text);

	if (bytes)
		snprintf(text + used, size - used, " %s %s/s", rate,
			 units_format_bytes(amount, limit));
	else
		snprintf(text + used, size - used, " %s %" PRIu64 " IOPS", rate, limit);
}

static bool v2_line(const char *line, char *text, size_t size)
{
	static const struct {
		const char *key, *rate;
		bool bytes;
	} keys[] = {{" rbps=", "read", true},
		    {" wbps=", "write", true},
		    {" riops=", "read", false},
		    {" wiops=", "write", false}};
	size_t before = strlen(text);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *at = strstr(line, keys[i].key);
		uint64_t limit;
		if (at && sscanf(at + strlen(keys[i].key), "%" SCNu64, &limit) == 1)
			add_rate(text, size, keys[i].rate, limit, keys[i].bytes);
	}
	return strlen(text) > before;
}

bool cgroup_io_line(const char *line, const char *rate, char *text, size_t size)
{
	unsigned major, minor;
	uint64_t limit;
	int length = 0;

	text[0] = '\0';
	if (sscanf(line, "%u:%u%n", &major, &minor, &length) != 2)
		return false;
	device_name(major, minor, text, size);
	if (!rate)
		return v2_line(line + length, text, size);
	if (sscanf(line + length, "%" SCNu64, &limit) != 1)
		return false;
	bool bytes = strstr(rate, "bps") != NULL;
	add_rate(text, size, rate[0] == 'r' ? "read" : "write", limit, bytes);
	return true;
}

/* Every line of a file that limits something, as far as there is room. */
static void take_io(const char *folder, const char *name, const char *rate, char *limits,
		    size_t size)
{
	char line[256], text[128];

	snprintf(line, sizeof(line), "%.200s/%s", folder, name);
	FILE *file = fopen(line, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		size_t used = strlen(limits);
		if (!cgroup_io_line(line, rate, text, sizeof(text)) ||
		    used + strlen(text) + 3 > size || strstr(limits, text))
			continue;
		snprintf(limits + used, size - used, "%s%s", used ? ", " : "", text);
	}
	fclose(file);
}

static void take_io_v1(const char *folder, struct platform_limits *limits)
{
	static const char *const rates[] = {"read_bps", "write_bps", "read_iops", "write_iops"};
	char name[64];

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		snprintf(name, sizeof(name), "blkio.throttle.%s_device", rates[i]);
		take_io(folder, name, rates[i], limits->io, sizeof(limits->io));
	}
}

void cgroup_limits(const char *root, struct platform_limits *limits)
{
	struct mounts mounts;
	struct error err = {0};
	char folder[MOST_PATH], path[MOST_PATH];
	size_t top;

	*limits = (struct platform_limits){0};
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (mounts_read_file(&mounts, path, &err) < 0)
		return;
	if (own_folder(root, &mounts, "memory", folder, &top))
		do
			take_memory(folder, "memory.limit_in_bytes", &limits->memory_bytes);
		while (go_up(folder, top));
	if (own_folder(root, &mounts, "cpu", folder, &top))
		do
			take_cpu_v1(folder, &limits->cpu_thousandths);
		while (go_up(folder, top));
	if (own_folder(root, &mounts, "blkio", folder, &top))
		do
			take_io_v1(folder, limits);
		while (go_up(folder, top));
	if (own_folder(root, &mounts, NULL, folder, &top))
		do {
			take_memory(folder, "memory.max", &limits->memory_bytes);
			take_cpu_v2(folder, &limits->cpu_thousandths);
			take_io(folder, "io.max", NULL, limits->io, sizeof(limits->io));
		} while (go_up(folder, top));
	mounts_release(&mounts);
}

/* ---- containers ---- */

/* What engines write into the paths of their groups. */
static bool kind_of_group(const char *root, char kind[PLATFORM_CONTAINER])
{
	static const struct {
		const char *part, *kind;
	} parts[] = {{"kubepods", "kubernetes"},
		     {"/docker", "docker"},
		     {"libpod", "podman"},
		     {"/lxc", "lxc"}};
	char path[MOST_PATH];

	if (!own_group(root, "memory", path) && !own_group(root, NULL, path))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(path, parts[i].part)) {
			posix_copy(kind, PLATFORM_CONTAINER, parts[i].kind);
			return true;
		}
	return false;
}

static bool exists(const char *root, const char *name)
{
	char path[MOST_PATH];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return access(path, F_OK) == 0;
}

/* A machine that was installed from an image has the image's marker too, but no engine that mounts
 * its own files over /etc/hosts and its like. */
static bool has_engine_mounts(const char *root)
{
	struct mounts mounts;
	struct error err = {0};
	char path[MOST_PATH];
	bool found = false;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (mounts_read_file(&mounts, path, &err) < 0)
		return false;
	for (uint32_t i = 0; i < mounts.count && !found; i++)
		found = !strcmp(mounts.mounts[i].point, "/etc/hosts");
	mounts_release(&mounts);
	return found;
}

void cgroup_container(const char *root, char kind[PLATFORM_CONTAINER])
{
	kind[0] = '\0';
	if (kind_of_group(root, kind))
		return;
	if (exists(root, "/run/.containerenv"))
		posix_copy(kind, PLATFORM_CONTAINER, "podman");
	else if (exists(root, "/.dockerenv") && has_engine_mounts(root))
		posix_copy(kind, PLATFORM_CONTAINER, "docker");
	else
		sysfs_text(kind, PLATFORM_CONTAINER, "%s/run/systemd/container", root);
}
