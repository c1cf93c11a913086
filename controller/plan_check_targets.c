#include "controller/plan_check.h"

#include <stdio.h>
#include <string.h>

static void check_kind(struct plan_check *check, const struct target *target, const char *path)
{
	int kinds = !!target->path + !!target->device +
		    plan_check_is_written(check, &target->stripe) + target->null;

	if (kinds == 0)
		plan_check_error(check, target, NULL,
				 "%s: nothing says what it is; give one of path, device, stripe, "
				 "null: true",
				 path);
	else if (kinds > 1)
		plan_check_error(check, target, NULL,
				 "%s: it is%s%s%s%s at once; a target has one of them", path,
				 target->path ? " path" : "", target->device ? " device" : "",
				 plan_check_is_written(check, &target->stripe) ? " stripe" : "",
				 target->null ? " null" : "");
	if (target->device && *target->device != '/')
		plan_check_error(check, &target->device, target,
				 "%s.device: '%.80s' is not an absolute path, as /dev/sdb", path,
				 target->device);
}

static void check_extras(struct plan_check *check, const struct target *target, const char *path)
{
	bool stripe = plan_check_is_written(check, &target->stripe);

	if (!stripe && plan_check_is_written(check, &target->stripe_unit))
		plan_check_error(check, &target->stripe_unit, target,
				 "%s.stripe_unit: there is no stripe to cut; leave it out, or give "
				 "stripe: [a, b]",
				 path);
	if (target->destroy && !target->device)
		plan_check_error(check, &target->destroy, target,
				 "%s.destroy: it arms the overwriting of a device, and this is "
				 "none; leave it out",
				 path);
	if (target->nodatacow && !target->path)
		plan_check_error(check, &target->nodatacow, target,
				 "%s.nodatacow: it is of a file that muster makes, and without "
				 "path there is none; leave it out",
				 path);
	if (target->keep && !target->path)
		plan_check_error(check, &target->keep, target,
				 "%s.keep: it keeps a file, and without path there is none; leave "
				 "it out",
				 path);
	if (target->remove && !target->path)
		plan_check_error(check, &target->remove, target,
				 "%s.remove: it removes a file, and without path there is none; "
				 "leave it out",
				 path);
	else if (target->remove && target->keep)
		plan_check_error(check, &target->remove, target,
				 "%s.remove: and keep: true as well; a file stays or does not",
				 path);
	if (target->members_count > 0 && (stripe || target->null))
		plan_check_error(check, &target->members, target,
				 "%s.members: they name what is beneath a path or device; %s", path,
				 stripe ? "the parts of a stripe are named by stripe"
					: "beneath null there is nothing");
}

/* The index of a target that a list names, or -1 after an error. */
static int resolve(struct plan_check *check, const struct plan_scope *scope,
		   const struct name *name, const char *path, uint32_t index)
{
	char hint[PLAN_CHECK_HINT];
	int found = plan_scope_find(scope, name->name);

	if (found < 0 && name->name)
		plan_check_error(check, name, NULL, "%s[%u]: there is no target '%.80s'%s", path,
				 index, name->name,
				 plan_check_hint(hint, name->name, scope->names, scope->count));
	return found;
}

static bool is_repeated(const struct name *names, uint32_t index)
{
	for (uint32_t i = 0; names[index].name && i < index; i++)
		if (names[i].name && strcmp(names[i].name, names[index].name) == 0)
			return true;
	return false;
}

static void check_part(struct plan_check *check, const struct plan_scope *scope, uint32_t self,
		       uint32_t index, const char *path)
{
	const struct target *target = scope->targets[self];
	const struct name *name = &target->stripe[index];
	int part = resolve(check, scope, name, path, index);

	if (part < 0)
		return;
	if ((uint32_t)part == self)
		plan_check_error(check, name, NULL, "%s[%u]: a stripe cannot be its own part", path,
				 index);
	else if (is_repeated(target->stripe, index))
		plan_check_error(check, name, NULL,
				 "%s[%u]: '%.80s' is a part already; each part stands once", path,
				 index, name->name);
	else if (target_is_stripe(scope->targets[part]))
		plan_check_error(check, name, NULL,
				 "%s[%u]: '%.80s' is a stripe itself%s%.80s; parts are paths, "
				 "devices or null",
				 path, index, name->name, scope->host ? " on " : "",
				 scope->host ? scope->host : "");
}

/* One engine serves all of a stripe. */
static void check_nulls(struct plan_check *check, const struct plan_scope *scope, uint32_t self,
			const char *path)
{
	const struct target *target = scope->targets[self];
	uint32_t nulls = 0, others = 0;

	for (uint32_t i = 0; i < target->stripe_count; i++) {
		int part = plan_scope_find(scope, target->stripe[i].name);
		if (part < 0 || !scope->sound[part])
			continue;
		nulls += scope->targets[part]->null;
		others += scope->targets[part]->path || scope->targets[part]->device;
	}
	if (nulls > 0 && others > 0)
		plan_check_error(check, &target->stripe, target,
				 "%s: some parts are null and some are not; take null for all of "
				 "them or for none",
				 path);
}

static void check_stripe(struct plan_check *check, const struct plan_scope *scope, uint32_t self)
{
	const struct target *target = scope->targets[self];
	char path[256];

	if (!plan_check_is_written(check, &target->stripe))
		return;
	snprintf(path, sizeof(path), "%s.stripe", scope->paths[self]);
	if (target->stripe_count < 2 && scope->sound[self])
		plan_check_error(check, &target->stripe, target,
				 "%s: %u part%s; a stripe has two or more", path,
				 target->stripe_count, target->stripe_count == 1 ? "" : "s");
	for (uint32_t i = 0; i < target->stripe_count; i++)
		check_part(check, scope, self, i, path);
	check_nulls(check, scope, self, path);
	if (target->stripe_unit % 512)
		plan_check_error(check, &target->stripe_unit, target,
				 "%s_unit: %llu bytes is not a multiple of 512; %llu is", path,
				 (unsigned long long)target->stripe_unit,
				 (unsigned long long)(target->stripe_unit / 512 * 512 + 512));
}

/* A ring is reported once, at the first target in it. */
static bool is_first_of_ring(const struct plan_scope *scope, uint32_t self)
{
	const bool *beneath = scope->beneath;

	for (uint32_t i = 0; i < self; i++)
		if (beneath[self * scope->count + i] && beneath[i * scope->count + self])
			return false;
	return true;
}

static void check_member(struct plan_check *check, const struct plan_scope *scope, uint32_t self,
			 uint32_t index, const char *path)
{
	const struct target *target = scope->targets[self];
	const struct name *name = &target->members[index];
	int member = resolve(check, scope, name, path, index);

	if (member < 0)
		return;
	if ((uint32_t)member == self)
		plan_check_error(check, name, NULL, "%s[%u]: a target is not beneath itself", path,
				 index);
	else if (is_repeated(target->members, index))
		plan_check_error(check, name, NULL,
				 "%s[%u]: '%.80s' is a member already; each stands once", path,
				 index, name->name);
	else if (scope->beneath[(uint32_t)member * scope->count + self] &&
		 is_first_of_ring(scope, self))
		plan_check_error(check, name, NULL,
				 "%s[%u]: '%.80s' is beneath '%.80s', which is beneath it in turn; "
				 "members go down to the disks and never back",
				 path, index, name->name, target->name);
}

static void check_members(struct plan_check *check, const struct plan_scope *scope, uint32_t self)
{
	char path[256];

	snprintf(path, sizeof(path), "%s.members", scope->paths[self]);
	for (uint32_t i = 0; i < scope->targets[self]->members_count; i++)
		check_member(check, scope, self, i, path);
}

static void check_target(struct plan_check *check, const struct plan_scope *scope, uint32_t self)
{
	const struct target *target = scope->targets[self];
	char path[256];

	snprintf(path, sizeof(path), "%s.size", scope->paths[self]);
	plan_check_name(check, &target->name, scope->paths[self]);
	plan_check_size(check, &target->size, path);
	if (scope->sound[self]) {
		check_kind(check, target, scope->paths[self]);
		check_extras(check, target, scope->paths[self]);
	}
	check_stripe(check, scope, self);
	check_members(check, scope, self);
}

void plan_check_targets(struct plan_check *check, const struct plan_scope *scope)
{
	for (uint32_t i = 0; i < scope->count; i++)
		check_target(check, scope, i);
}
