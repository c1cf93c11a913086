#include "agent/platform/linux_family.h"

#include <stdint.h>

#include "agent/platform/linux_loop.h"
#include "agent/platform/linux_twins.h"
#include "agent/platform/posix.h"

bool family_has(const struct family *family, const char *name)
{
	return names_has(&family->full, name) || names_has(&family->beneath, name) ||
	       names_has(&family->whole, name);
}

void family_release(struct family *family)
{
	names_release(&family->full);
	names_release(&family->beneath);
	names_release(&family->whole);
	names_release(&family->sharing);
}

/* A copy: the list that it is of may move when it grows. */
static const char *copy(char name[PLATFORM_DEVICE_NAME], const struct names *names, uint32_t i)
{
	posix_copy(name, PLATFORM_DEVICE_NAME, names->names[i]);
	return name;
}

static void add_full(struct family *family, const char *name)
{
	if (!names_has(&family->beneath, name))
		names_add(&family->full, name);
}

static void add_all_full(struct family *family, struct names *found)
{
	for (uint32_t i = 0; i < found->count; i++)
		add_full(family, found->names[i]);
	names_release(found);
}

/* ---- down ---- */

/* A loop device holds nothing: what it is over can be mounted all the same. */
static void add_below(struct family *family, const char *name)
{
	char below[PLATFORM_DEVICE_NAME];

	sysfs_add_linked(&family->beneath, name, "slaves");
	if (loop_behind(name, below)) {
		names_add(&family->sharing, below);
		names_add(&family->full, below);
	}
	if (sysfs_disk(name, below) && !names_has(&family->beneath, below))
		names_add(&family->whole, below);
}

static void go_down(struct family *family)
{
	char name[PLATFORM_DEVICE_NAME];
	uint32_t full = 0, beneath = 0, whole = 0;

	while (full < family->full.count || beneath < family->beneath.count ||
	       whole < family->whole.count) {
		if (full < family->full.count) {
			add_below(family, copy(name, &family->full, full++));
		} else if (beneath < family->beneath.count) {
			add_below(family, copy(name, &family->beneath, beneath++));
			sysfs_add_partitions(&family->beneath, name);
		} else {
			add_below(family, copy(name, &family->whole, whole++));
		}
	}
}

/* ---- up ---- */

static void add_sharing(struct family *family, const char *name)
{
	struct names found = {0};

	loop_add_sharing(&found, name);
	twins_add(&found, name);
	for (uint32_t i = 0; i < found.count; i++)
		if (!names_has(&family->beneath, found.names[i]))
			names_add(&family->sharing, found.names[i]);
	add_all_full(family, &found);
}

/* `sideways`: those that were added for common bytes, whose own neighbours share none with what is
 * asked about. */
static void add_overlapping(struct family *family, struct names *sideways, const char *name)
{
	struct names found = {0};

	if (!names_has(sideways, name))
		sysfs_add_overlapping(&found, name);
	for (uint32_t i = 0; i < found.count; i++)
		if (!family_has(family, found.names[i]))
			names_add(sideways, found.names[i]);
	add_all_full(family, &found);
}

static void expand(struct family *family, struct names *sideways, const char *name, bool held)
{
	struct names found = {0};

	sysfs_add_partitions(&found, name);
	if (held)
		sysfs_add_linked(&found, name, "holders");
	add_all_full(family, &found);
	add_sharing(family, name);
	add_overlapping(family, sideways, name);
}

/* Of another path to a disk only the disk: its other partitions are not ours. */
static void expand_whole(struct family *family, const char *name)
{
	struct names found = {0};

	sysfs_add_linked(&found, name, "holders");
	loop_add_sharing(&found, name);
	add_all_full(family, &found);
	twins_add(&found, name);
	for (uint32_t i = 0; i < found.count; i++) {
		names_add(&family->sharing, found.names[i]);
		names_add(&family->whole, found.names[i]);
	}
	names_release(&found);
}

static void go_up(struct family *family)
{
	char name[PLATFORM_DEVICE_NAME];
	struct names sideways = {0};
	uint32_t full = 0, beneath = 0;

	for (uint32_t i = 0, count = family->whole.count; i < count; i++)
		expand_whole(family, copy(name, &family->whole, i));
	for (; beneath < family->beneath.count; beneath++)
		expand(family, &sideways, copy(name, &family->beneath, beneath), false);
	for (; full < family->full.count; full++)
		expand(family, &sideways, copy(name, &family->full, full), true);
	names_release(&sideways);
}

void family_find(struct family *family, const char *name)
{
	*family = (struct family){0};
	names_add(&family->full, name);
	go_down(family);
	go_up(family);
}
