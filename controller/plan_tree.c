#include "controller/plan_tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_yaml.h"
#include "controller/plan.h"

/* Whether the node reads as a record. `errors` gets what it says. */
static bool reads(const struct record_table *table, const struct yaml_node *node,
		  struct yaml_errors *errors)
{
	void *record = mem_new(1, table->size);
	uint32_t before = errors->count + errors->left_out;

	record_yaml_read(table, record, node, NULL, errors);
	record_release(table, record);
	free(record);
	return errors->count + errors->left_out == before;
}

/* A mapping of one key, which lives as long as what it points at. */
static struct yaml_node pair(struct yaml_node **key, struct yaml_node **value)
{
	return (struct yaml_node){.kind = YAML_KIND_MAPPING,
				  .line = (*key)->line,
				  .column = (*key)->column,
				  .keys = key,
				  .items = value,
				  .count = 1};
}

/* Some keys of another mapping; no node in it is its own. */
static struct yaml_node selection_new(const struct yaml_node *of)
{
	return (struct yaml_node){.kind = YAML_KIND_MAPPING,
				  .line = of->line,
				  .column = of->column,
				  .keys = mem_new(of->count, sizeof(struct yaml_node *)),
				  .items = mem_new(of->count, sizeof(struct yaml_node *))};
}

static void selection_add(struct yaml_node *selection, const struct yaml_node *of, uint32_t index)
{
	selection->keys[selection->count] = of->keys[index];
	selection->items[selection->count++] = of->items[index];
}

static void selection_free(struct yaml_node *selection)
{
	free(selection->keys);
	free(selection->items);
}

static const struct record_row *find_row(const struct record_table *table, const char *key)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (strcmp(table->rows[i].key, key) == 0)
			return &table->rows[i];
	return NULL;
}

/* The rows of a phase without its name, and with nothing required. */
static uint32_t default_rows(struct record_row *rows)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < phase_table.count; i++) {
		if (strcmp(phase_table.rows[i].key, "name") == 0)
			continue;
		rows[count] = phase_table.rows[i];
		rows[count++].required = false;
	}
	return count;
}

/* Read as a member of a record, so that errors say `defaults.`. */
static bool check_defaults(const struct record_table *table, struct yaml_node *defaults,
			   struct yaml_errors *errors)
{
	const struct record_row row = {.key = "defaults", .kind = RECORD_ONE, .table = table};
	const struct record_table holder = {
		.name = "plan", .doc = "", .size = table->size, .rows = &row, .count = 1};
	struct yaml_node key = {.kind = YAML_KIND_SCALAR, .text = "defaults"};
	struct yaml_node *keys = &key;
	struct yaml_node whole = pair(&keys, &defaults);

	return reads(&holder, &whole, errors);
}

/* What is no key of a phase would be reported for each; so would a fault from the command line,
 * which has no place to know it by. */
static void give_out(const struct yaml_node *root, const struct record_table *table,
		     const struct yaml_node *defaults, bool sound)
{
	const struct yaml_node *phases = yaml_tree_find(root, "phases");
	struct yaml_node selection = selection_new(defaults);

	for (uint32_t i = 0; defaults->kind == YAML_KIND_MAPPING && i < defaults->count; i++)
		if (find_row(table, defaults->keys[i]->text) &&
		    (sound || defaults->items[i]->line > 0))
			selection_add(&selection, defaults, i);
	for (uint32_t i = 0; phases && phases->kind == YAML_KIND_SEQUENCE && i < phases->count; i++)
		yaml_tree_inherit(phases->items[i], &selection);
	selection_free(&selection);
}

bool plan_tree_defaults(struct yaml_node *root, struct yaml_errors *errors)
{
	struct yaml_node *defaults = yaml_tree_take(root, "defaults");

	if (!defaults)
		return true;
	struct record_row *rows = mem_new(phase_table.count, sizeof(*rows));
	struct record_table table = phase_table;
	table.rows = rows;
	table.count = default_rows(rows);
	bool sound = check_defaults(&table, defaults, errors);
	give_out(root, &table, defaults, sound);
	free(rows);
	yaml_tree_free(defaults);
	return sound;
}

static bool has(const struct yaml_node *mapping, const char *key)
{
	return yaml_tree_find(mapping, key) != NULL;
}

/* Where an override says anew what the target is, it does not take over what only made sense with
 * what the target was. */
static bool is_inherited(const char *key, const struct yaml_node *override)
{
	bool path = has(override, "path"), device = has(override, "device");
	bool stripe = has(override, "stripe");

	if (!path && !device && !stripe && !has(override, "null"))
		return true;
	if (strcmp(key, "path") == 0 || strcmp(key, "device") == 0 || strcmp(key, "stripe") == 0 ||
	    strcmp(key, "null") == 0 || strcmp(key, "destroy") == 0)
		return false;
	if (strcmp(key, "stripe_unit") == 0)
		return stripe;
	if (strcmp(key, "keep") == 0 || strcmp(key, "remove") == 0)
		return path;
	if (strcmp(key, "members") == 0)
		return path || device;
	return true;
}

static void complete(struct yaml_node *override, const struct yaml_node *base)
{
	if (base->kind != YAML_KIND_MAPPING)
		return;
	struct yaml_node selection = selection_new(base);
	for (uint32_t i = 0; i < base->count; i++)
		if (is_inherited(base->keys[i]->text, override))
			selection_add(&selection, base, i);
	yaml_tree_inherit(override, &selection);
	selection_free(&selection);
}

/* Of storage or links: each entry takes over what it does not say. */
static void inherit_all(const struct yaml_node *own, const struct yaml_node *plans)
{
	if (!own || own->kind != YAML_KIND_MAPPING)
		return;
	for (uint32_t i = 0; i < own->count; i++) {
		const struct yaml_node *base = yaml_tree_find(plans, own->keys[i]->text);
		if (base && base->kind == YAML_KIND_MAPPING)
			yaml_tree_inherit(own->items[i], base);
	}
}

static void complete_expected(const struct yaml_node *own, const struct yaml_node *plans)
{
	static const char *const lists[] = {"storage", "links"};

	for (size_t i = 0; own && plans && i < sizeof(lists) / sizeof(lists[0]); i++)
		inherit_all(yaml_tree_find(own, lists[i]), yaml_tree_find(plans, lists[i]));
}

static void complete_all(const struct yaml_node *overrides, const struct yaml_node *targets)
{
	if (!overrides || !targets || overrides->kind != YAML_KIND_MAPPING)
		return;
	for (uint32_t i = 0; i < overrides->count; i++) {
		const struct yaml_node *base = yaml_tree_find(targets, overrides->keys[i]->text);
		if (base)
			complete(overrides->items[i], base);
	}
}

void plan_tree_overrides(struct yaml_node *root)
{
	const struct yaml_node *targets = yaml_tree_find(root, "targets");
	const struct yaml_node *agents = yaml_tree_find(yaml_tree_find(root, "fleet"), "agents");

	if (!agents || agents->kind != YAML_KIND_SEQUENCE)
		return;
	for (uint32_t i = 0; i < agents->count; i++) {
		complete_expected(yaml_tree_find(agents->items[i], "expect"),
				  yaml_tree_find(root, "expect"));
		complete_all(yaml_tree_find(agents->items[i], "targets"), targets);
	}
}
