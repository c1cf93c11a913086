#include "common/yaml_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nearest.h"

/* Steps of a path from the command line: as many as a file may have levels. */
enum { STEPS_MAX = 16 };

struct yaml_node *yaml_node_new(enum yaml_kind kind, uint32_t line, uint32_t column)
{
	struct yaml_node *node = mem_new(1, sizeof(*node));

	*node = (struct yaml_node){.kind = kind, .line = line, .column = column};
	return node;
}

/* Room doubles whenever the count is a power of two, so that none has to be kept: there is always
 * room for the power of two at or above the count. */
static void make_room(struct yaml_node ***list, uint32_t count)
{
	if ((count & (count - 1)) == 0)
		*list = mem_resize(*list, count ? (size_t)count * 2 : 1, sizeof(**list));
}

void yaml_node_append(struct yaml_node *parent, struct yaml_node *key, struct yaml_node *item)
{
	assert((parent->kind == YAML_KIND_MAPPING) == (key != NULL));
	make_room(&parent->items, parent->count);
	parent->items[parent->count] = item;
	if (key) {
		make_room(&parent->keys, parent->count);
		parent->keys[parent->count] = key;
	}
	parent->count++;
}

void yaml_tree_free(struct yaml_node *node)
{
	if (!node)
		return;
	for (uint32_t i = 0; i < node->count; i++) {
		yaml_tree_free(node->items[i]);
		if (node->keys)
			yaml_tree_free(node->keys[i]);
	}
	free(node->items);
	free(node->keys);
	free(node->text);
	free(node);
}

/* Where the key's value hangs; NULL when absent or when it is no mapping. */
static struct yaml_node **find_slot(const struct yaml_node *mapping, const char *key)
{
	if (!mapping || mapping->kind != YAML_KIND_MAPPING)
		return NULL;
	for (uint32_t i = 0; i < mapping->count; i++)
		if (strcmp(mapping->keys[i]->text, key) == 0)
			return &mapping->items[i];
	return NULL;
}

struct yaml_node *yaml_tree_find(const struct yaml_node *mapping, const char *key)
{
	struct yaml_node **slot = find_slot(mapping, key);

	return slot ? *slot : NULL;
}

struct yaml_node *yaml_tree_take(struct yaml_node *mapping, const char *key)
{
	struct yaml_node **slot = find_slot(mapping, key);

	if (!slot)
		return NULL;
	struct yaml_node *value = *slot;
	size_t at = (size_t)(slot - mapping->items), after = mapping->count - at - 1;
	yaml_tree_free(mapping->keys[at]);
	memmove(slot, slot + 1, after * sizeof(*slot));
	memmove(&mapping->keys[at], &mapping->keys[at + 1], after * sizeof(*slot));
	mapping->count--;
	return value;
}

static struct yaml_node *copy(const struct yaml_node *from)
{
	struct yaml_node *node = yaml_node_new(from->kind, from->line, from->column);

	node->text = mem_text(from->text);
	node->quoted = from->quoted;
	for (uint32_t i = 0; i < from->count; i++)
		yaml_node_append(node, from->keys ? copy(from->keys[i]) : NULL,
				 copy(from->items[i]));
	return node;
}

void yaml_tree_inherit(struct yaml_node *into, const struct yaml_node *from)
{
	if (!from || into->kind != YAML_KIND_MAPPING || from->kind != YAML_KIND_MAPPING)
		return;
	for (uint32_t i = 0; i < from->count; i++)
		if (!find_slot(into, from->keys[i]->text))
			yaml_node_append(into, copy(from->keys[i]), copy(from->items[i]));
}

/* How much of `path` is this name as a whole step: its length, 0 when it is not. */
static size_t step_of(const char *path, const char *name)
{
	size_t size = strlen(name);

	if (!size || strncmp(path, name, size) != 0 || !strchr(".[", path[size]))
		return 0;
	return size;
}

/* The name that the path goes on with, of those a collection has; the longest, since names may
 * hold dots. Answers its slot and moves the path behind it. */
static struct yaml_node **enter_named(struct yaml_node *node, const char **path)
{
	struct yaml_node **slot = NULL;
	size_t longest = 0;

	for (uint32_t i = 0; i < node->count; i++) {
		const struct yaml_node *name = node->kind == YAML_KIND_MAPPING
						       ? node->keys[i]
						       : yaml_tree_find(node->items[i], "name");
		if (!name || name->kind != YAML_KIND_SCALAR)
			continue;
		size_t size = step_of(*path, name->text);
		if (size > longest) {
			longest = size;
			slot = &node->items[i];
		}
	}
	*path += longest;
	return slot;
}

/* "3" or "[3]". */
static struct yaml_node **enter_index(struct yaml_node *node, const char **path)
{
	bool bracket = **path == '[';
	const char *digits = *path + bracket;
	char *end;

	if (*digits < '0' || *digits > '9')
		return NULL;
	unsigned long long index = strtoull(digits, &end, 10);
	if (bracket && *end++ != ']')
		return NULL;
	if (!strchr(".[", *end) || index >= node->count)
		return NULL;
	*path = end;
	return &node->items[index];
}

/* A key that a mapping lacks, with an empty mapping to go on in. */
static struct yaml_node **enter_new(struct yaml_node *mapping, const char **path)
{
	size_t size = strcspn(*path, ".[");

	if (!size)
		return NULL;
	struct yaml_node *key = yaml_node_new(YAML_KIND_SCALAR, 0, 0);
	key->text = mem_format("%.*s", (int)size, *path);
	yaml_node_append(mapping, key, yaml_node_new(YAML_KIND_MAPPING, 0, 0));
	*path += size;
	return &mapping->items[mapping->count - 1];
}

static struct yaml_node **enter(struct yaml_node *node, const char **path)
{
	struct yaml_node **slot = enter_named(node, path);

	if (!slot && node->kind == YAML_KIND_SEQUENCE)
		slot = enter_index(node, path);
	if (!slot && node->kind == YAML_KIND_MAPPING)
		slot = enter_new(node, path);
	return slot;
}

static void forget_places(struct yaml_node *node)
{
	node->line = node->column = 0;
	for (uint32_t i = 0; i < node->count; i++) {
		forget_places(node->items[i]);
		if (node->keys)
			forget_places(node->keys[i]);
	}
}

static struct yaml_node *parse_value(const char *path, const char *value,
				     struct yaml_errors *errors)
{
	struct yaml_errors own = {.file = "value"};

	if (!*value) {
		yaml_errors_add(errors, 0, 0, "%.*s: the value is empty", yaml_errors_shown(path),
				path);
		return NULL;
	}
	struct yaml_node *node = yaml_tree_parse(value, strlen(value), &own);
	for (uint32_t i = 0; i < own.count; i++)
		yaml_errors_add(errors, 0, 0, "%.*s: %s", yaml_errors_shown(path), path,
				own.lines[i]);
	if (own.count) {
		yaml_tree_free(node);
		node = NULL;
	}
	yaml_errors_release(&own);
	if (node)
		forget_places(node);
	return node;
}

/* Why there is no way into `node`: of what has a name, which was probably meant. */
static void complain_of_path(const struct yaml_node *node, const char *path, const char *rest,
			     struct yaml_errors *errors)
{
	char *step = mem_format("%.*s", (int)strcspn(rest, ".["), rest);
	struct nearest nearest = nearest_start(step);

	for (uint32_t i = 0; node->kind == YAML_KIND_SEQUENCE && i < node->count; i++) {
		const struct yaml_node *name = yaml_tree_find(node->items[i], "name");
		if (name && name->kind == YAML_KIND_SCALAR)
			nearest_try(&nearest, name->text);
	}
	yaml_errors_add(errors, 0, 0, "%.*s: the path leads nowhere from '%.*s' on%s%.*s%s",
			yaml_errors_shown(path), path, yaml_errors_shown(rest), rest,
			nearest.name ? "; nearest is '" : "",
			nearest.name ? yaml_errors_shown(nearest.name) : 0,
			nearest.name ? nearest.name : "", nearest.name ? "'" : "");
	free(step);
}

bool yaml_tree_set(struct yaml_node *root, const char *path, const char *value,
		   struct yaml_errors *errors)
{
	struct yaml_node *node = parse_value(path, value, errors), *last = root, **slot = &root;
	const char *rest = path;

	if (!node)
		return false;
	for (int steps = 0; slot && (steps == 0 || *rest); steps++) {
		/* A dot goes between two steps; a bracket needs none. */
		if (steps && *rest == '.')
			rest++;
		last = *slot;
		slot = steps < STEPS_MAX ? enter(*slot, &rest) : NULL;
	}
	if (!slot) {
		complain_of_path(last, path, rest, errors);
		yaml_tree_free(node);
		return false;
	}
	yaml_tree_free(*slot);
	*slot = node;
	return true;
}
