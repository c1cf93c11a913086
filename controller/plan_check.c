#include "controller/plan_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu_list.h"
#include "common/memory.h"
#include "common/nearest.h"
#include "common/units.h"

#define NAME_MAX_CHARACTERS 64
#define PHASES_MAX          1000

static const struct record_place *place_of(const struct plan_check *check, const void *member,
					   const void *record)
{
	static const struct record_place beginning = {.line = 1, .column = 1};
	const struct record_place *place = record_places_find(check->places, member);

	if (!place && record)
		place = record_places_find(check->places, record);
	return place ? place : &beginning;
}

/* Whether that place was complained about; it is from now on. What comes from the command line has
 * no place to tell it by. */
static bool was_said(struct plan_check *check, const struct record_place *place)
{
	if (place->line == 0)
		return false;
	for (uint32_t i = 0; i < check->said_count; i++)
		if (check->said[i].line == place->line && check->said[i].column == place->column)
			return true;
	*(struct record_place *)RECORD_APPEND(check->said, check->said_count) = *place;
	return false;
}

static void say(struct plan_check *check, const struct record_place *place, const char *format,
		va_list arguments)
{
	char text[1024];

	check->failed = true;
	if (was_said(check, place))
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	yaml_errors_add(check->errors, place->line, place->column, "%s", text);
}

void plan_check_error(struct plan_check *check, const void *member, const void *record,
		      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(check, place_of(check, member, record), format, arguments);
	va_end(arguments);
}

void plan_check_error_in(struct plan_check *check, const char *list, uint32_t index,
			 const char *format, ...)
{
	va_list arguments;
	const struct yaml_node *node = yaml_tree_find(check->root, list)->items[index];
	const struct record_place place = {.line = node->line, .column = node->column};

	va_start(arguments, format);
	say(check, &place, format, arguments);
	va_end(arguments);
}

bool plan_check_is_written(const struct plan_check *check, const void *member)
{
	return record_places_find(check->places, member) != NULL;
}

bool plan_check_is_sound(const struct plan_check *check, const void *element)
{
	return record_places_is_sound(check->places, element);
}

const char *plan_check_hint(char buffer[PLAN_CHECK_HINT], const char *name,
			    const char *const *names, uint32_t count)
{
	struct nearest nearest = nearest_start(name);

	for (uint32_t i = 0; i < count; i++)
		if (names[i])
			nearest_try(&nearest, names[i]);
	buffer[0] = '\0';
	if (nearest.name)
		snprintf(buffer, PLAN_CHECK_HINT, "; nearest is '%.80s'", nearest.name);
	else if (count > 0 && names[0])
		snprintf(buffer, PLAN_CHECK_HINT, "; there is '%.80s'%s", names[0],
			 count > 1 ? " and others" : "");
	return buffer;
}

void plan_check_name(struct plan_check *check, char *const *name, const char *path)
{
	static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	const char *text = *name;

	if (!text)
		return;
	size_t length = strlen(text), good = strspn(text, legal), bytes = 1;
	while (good < length && ((unsigned char)text[good + bytes] & 0xc0) == 0x80)
		bytes++; /* of one character beyond ASCII */
	if (good < length)
		plan_check_error(check, name, NULL,
				 "%s: '%.80s' has '%.*s' in it; a name consists of letters, "
				 "digits, '.', '_' and '-' (ASCII)",
				 path, text, (int)bytes, text + good);
	else if (length > NAME_MAX_CHARACTERS)
		plan_check_error(check, name, NULL,
				 "%s: '%.80s…' has %zu characters; a name has at most %d", path,
				 text, length, NAME_MAX_CHARACTERS);
	else if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		plan_check_error(check, name, NULL,
				 "%s: '%s' is a directory to every system; take another name", path,
				 text);
}

void plan_check_cpus(struct plan_check *check, char *const *cpus, const char *path)
{
	struct cpu_list list = {0};
	struct error err;

	if (*cpus && cpu_list_parse(&list, *cpus, &err))
		plan_check_error(check, cpus, NULL, "%s: %s", path, err.text);
	cpu_list_release(&list);
}

uint64_t plan_check_size(struct plan_check *check, char *const *size, const char *path)
{
	uint64_t bytes = 0, thousandths = 0;
	struct error err = {0};

	if (!*size)
		return 0;
	if (units_parse_size(*size, &bytes, &thousandths, &err) < 0)
		plan_check_error(check, size, NULL, "%s: %s", path, err.text);
	else if (bytes > PHASE_BYTES_MOST)
		plan_check_error(check, size, NULL,
				 "%s: '%.80s' is more than agents take, 4194304TiB (2^62 bytes)",
				 path, *size);
	return bytes;
}

static void check_phase_names(struct plan_check *check)
{
	struct plan *plan = check->plan;
	char path[64];

	for (uint32_t i = 0; i < plan->phases_count; i++) {
		struct phase *phase = &plan->phases[i];
		snprintf(path, sizeof(path), "phases[%u].name", i);
		plan_check_name(check, &phase->name, path);
		for (uint32_t k = 0; phase->name && k < i; k++)
			if (plan->phases[k].name && strcmp(plan->phases[k].name, phase->name) == 0)
				plan_check_error(
					check, &phase->name, phase,
					"%s: there is a phase '%.80s' already, phases[%u] "
					"in line %u; gates and reports need to tell them "
					"apart",
					path, phase->name, k,
					place_of(check, &plan->phases[k].name, NULL)->line);
	}
}

/* So many that a file is a mistake, and few enough that no rule takes long. */
static bool check_counts(struct plan_check *check)
{
	struct plan *plan = check->plan;

	if (plan->targets_count > PLAN_TARGETS_MAX)
		plan_check_error(check, &plan->targets, NULL,
				 "targets: %u are too many, at most %d", plan->targets_count,
				 PLAN_TARGETS_MAX);
	else if (plan->phases_count > PHASES_MAX)
		plan_check_error(check, &plan->phases, NULL, "phases: %u are too many, at most %d",
				 plan->phases_count, PHASES_MAX);
	else
		return true;
	return false;
}

/* Before the rules, which are about the largest block. */
static void resolve_mixes(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->phases_count; i++) {
		struct phase *phase = &plan->phases[i];
		for (uint32_t k = 0; k < phase->block_mix_count; k++)
			if (phase->block_mix[k].size > phase->block_size)
				phase->block_size = phase->block_mix[k].size;
	}
}

static void resolve_sync(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->phases_count; i++) {
		struct phase *phase = &plan->phases[i];
		if (phase->sync == PHASE_SYNC_AUTO)
			phase->sync = phase_writes(phase) ? PHASE_SYNC_END : PHASE_SYNC_NONE;
	}
}

static void resolve_rates(struct plan *plan)
{
	struct error err;

	for (uint32_t i = 0; i < plan->phases_count; i++) {
		struct phase *phase = &plan->phases[i];
		if (phase->rate)
			units_parse_load_rate(phase->rate, &phase->rate_bytes,
					      &phase->rate_operations, &err);
	}
}

/* Once as the plan has the targets, once as each entry of agents that differs has them. */
static void check_scopes(struct plan_check *check)
{
	const struct plan_fleet *fleet = &check->plan->fleet;
	struct plan_scope scope;

	plan_scope_init(&scope, check, NULL);
	plan_check_targets(check, &scope);
	plan_check_phases(check, &scope);
	plan_check_phase_uses(check, &scope);
	plan_scope_release(&scope);
	for (uint32_t i = 0; i < fleet->agents_count; i++) {
		if (fleet->agents[i].targets_count == 0)
			continue;
		plan_scope_init(&scope, check, &fleet->agents[i]);
		plan_check_targets(check, &scope);
		plan_check_phase_uses(check, &scope);
		plan_scope_release(&scope);
	}
}

void plan_check(struct plan_check *check)
{
	plan_check_name(check, &check->plan->name, "name");
	plan_check_fleet(check);
	resolve_mixes(check->plan);
	if (check_counts(check)) {
		check_phase_names(check);
		check_scopes(check);
		plan_check_gates(check);
		plan_check_expect(check);
	}
	if (check->sound && !check->failed) {
		resolve_sync(check->plan);
		resolve_rates(check->plan);
	}
	free(check->said);
	check->said = NULL;
	check->said_count = 0;
}
