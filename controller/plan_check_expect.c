/* What a plan expects of the hardware. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/plan_check.h"

/* One `expect`: the plan's or that of an entry of agents. */
struct expected {
	struct plan_check *check;
	struct hardware *hardware;
	const char *path;
};

static void check_target(const struct expected *e, const void *member, const char *name,
			 const char *path)
{
	const struct plan *plan = e->check->plan;
	const char **names = mem_new(plan->targets_count, sizeof(*names));
	char hint[PLAN_CHECK_HINT];
	bool is_there = plan->targets_count == 0 || !name; /* said already */

	for (uint32_t t = 0; t < plan->targets_count; t++) {
		names[t] = plan->targets[t].name;
		is_there = is_there || (names[t] && strcmp(names[t], name) == 0);
	}
	if (!is_there)
		plan_check_error(e->check, member, NULL, "%s: the plan has no target '%.80s'%s",
				 path, name,
				 plan_check_hint(hint, name, names, plan->targets_count));
	free(names);
}

/* What a run sees for itself; a person's word for it would only be in its way. */
static void check_seen(const struct expected *e, const struct fact_storage *storage,
		       const char *path)
{
	const struct {
		const void *member;
		const char *name;
	} seen[] = {
		{&storage->file_size, "file_size"},
		{&storage->allocated, "allocated"},
		{&storage->files, "files"},
		{&storage->free_bytes, "free_bytes"},
		{&storage->free_inodes, "free_inodes"},
	};

	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
		if (plan_check_is_written(e->check, seen[i].member))
			plan_check_error(e->check, seen[i].member, NULL,
					 "%s.%s: a run sees that for itself; leave it out", path,
					 seen[i].name);
}

static void check_storage(const struct expected *e, const struct fact_storage *storage)
{
	struct facts_fault fault;
	char *path = mem_format("%s.storage.%.80s", e->path, storage->target);

	check_target(e, storage, storage->target, path);
	check_seen(e, storage, path);
	if (facts_storage_fault(storage, &fault))
		plan_check_error(e->check, fault.member, storage, "%s: %s", path, fault.text);
	free(path);
}

static void check_link(const struct expected *e, const struct fact_link *link)
{
	struct facts_fault fault;
	char *path = mem_format("%s.links.%.80s", e->path, link->link);

	for (uint32_t t = 0; t < link->targets_count; t++)
		check_target(e, &link->targets[t], link->targets[t].name, path);
	if (facts_link_fault(link, &fault))
		plan_check_error(e->check, fault.member, link, "%s: %s", path, fault.text);
	free(path);
}

static void check_expected(const struct expected *e)
{
	if (!e->hardware)
		return;
	hardware_mark(e->hardware, e->check->places);
	for (uint32_t i = 0; e->check->sound && i < e->hardware->storage_count; i++)
		check_storage(e, &e->hardware->storage[i]);
	for (uint32_t i = 0; e->check->sound && i < e->hardware->links_count; i++)
		check_link(e, &e->hardware->links[i]);
}

void plan_check_expect(struct plan_check *check)
{
	const struct plan *plan = check->plan;

	check_expected(&(struct expected){check, plan->expect, "expect"});
	for (uint32_t a = 0; a < plan->fleet.agents_count; a++) {
		char *path = mem_format("fleet.agents[%u].expect", a);
		check_expected(&(struct expected){check, plan->fleet.agents[a].expect, path});
		free(path);
	}
}
