#include "common/record_yaml.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nearest.h"
#include "common/record_member.h"
#include "common/record_words.h"
#include "common/record_yaml_scalar.h"

struct reader {
	struct record_places *places; /* NULL: nobody asks */
	struct yaml_errors *errors;
	uint32_t faults; /* all, also those that were said already */
	char path[512];
};

/* Goes one step down; the answer is for leave(). */
static size_t enter(struct reader *r, const char *key)
{
	size_t used = strlen(r->path);

	snprintf(r->path + used, sizeof(r->path) - used, "%s%.*s", used ? "." : "",
		 yaml_errors_shown(key), key);
	return used;
}

static size_t enter_index(struct reader *r, uint32_t index)
{
	size_t used = strlen(r->path);

	snprintf(r->path + used, sizeof(r->path) - used, "[%u]", index);
	return used;
}

static void leave(struct reader *r, size_t used)
{
	r->path[used] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Whether the same was said of the same place under another path: what `defaults` has is read once
 * for each phase that inherits it. */
static bool is_said(const struct yaml_errors *errors, const struct yaml_node *at, const char *what)
{
	char place[32];

	snprintf(place, sizeof(place), ":%u:%u: ", at->line, at->column);
	for (uint32_t i = 0; at->line && i < errors->count; i++)
		if (strstr(errors->lines[i], place) && ends_with(errors->lines[i], what))
			return true;
	return false;
}

static void complain(struct reader *r, const struct yaml_node *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void complain(struct reader *r, const struct yaml_node *at, const char *format, ...)
{
	char what[RECORD_WORDS_SIZE + 160], text[RECORD_WORDS_SIZE + 168];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "%s%s", r->path[0] ? ": " : "", what);
	r->faults++;
	if (!is_said(r->errors, at, text))
		yaml_errors_add(r->errors, at->line, at->column, "%s%s", r->path, text);
}

static void remember(struct reader *r, const void *member, const struct yaml_node *at)
{
	if (r->places)
		record_places_add(r->places, member, at->line, at->column);
}

/* A value of the wrong shape: what was found and what is taken instead. */
static void complain_of_shape(struct reader *r, const struct record_row *row,
			      const struct yaml_node *node)
{
	static const char *const kinds[] = {
		[YAML_KIND_SEQUENCE] = "a list",
		[YAML_KIND_MAPPING] = "a map",
	};
	char words[RECORD_WORDS_SIZE];

	record_words(words, row);
	if (record_yaml_is_null(node))
		complain(r, node, "no value: takes %s", words);
	else if (node->kind != YAML_KIND_SCALAR)
		complain(r, node, "%s is found: takes %s", kinds[node->kind], words);
	else if (record_is_plain_list(row))
		complain(r, node, "'%.*s' is one value: takes a list: [%.*s]",
			 yaml_errors_shown(node->text), node->text, yaml_errors_shown(node->text),
			 node->text);
	else
		complain(r, node, "'%.*s' is one value: takes %s", yaml_errors_shown(node->text),
			 node->text, words);
}

static void read_record(struct reader *r, const struct record_table *table, void *record,
			const struct yaml_node *node, const struct record_row *keyed);
static void read_member(struct reader *r, const struct record_row *row, void *record,
			const struct yaml_node *node);

/* One entry of a map by name: its key is the first member. */
static void read_entry(struct reader *r, const struct record_row *row, void *element,
		       const struct yaml_node *key, const struct yaml_node *node)
{
	const struct record_table *table = row->table;
	size_t used = enter(r, key->text);

	remember(r, element, node);
	char *why = record_yaml_scalar(&table->rows[0], element, key);
	if (why)
		complain(r, key, "the name: %s", why);
	free(why);
	remember(r, record_member(&table->rows[0], element), key);
	if (record_is_plain_map(row))
		read_member(r, &table->rows[1], element, node);
	else
		read_record(r, table, element, node, row);
	leave(r, used);
}

static void read_element(struct reader *r, const struct record_row *row, void *element,
			 const struct yaml_node *node, uint32_t index)
{
	size_t used = enter_index(r, index);

	if (record_is_plain_list(row))
		read_member(r, &row->table->rows[0], element, node);
	else
		read_record(r, row->table, element, node, NULL);
	leave(r, used);
}

static void read_list(struct reader *r, const struct record_row *row, void *record,
		      const struct yaml_node *node)
{
	char **elements = record_member(row, record);
	size_t size = row->table->size;

	if (node->kind != (row->keyed ? YAML_KIND_MAPPING : YAML_KIND_SEQUENCE)) {
		complain_of_shape(r, row, node);
		return;
	}
	if (!node->count && (row->required || row->computed))
		complain(r, node, "is empty: needs at least one");
	if (!node->count)
		return;
	/* All at once, since places are addresses. */
	*elements = mem_new(node->count, size);
	*record_list_count(row, record) = node->count;
	for (uint32_t i = 0; i < node->count; i++) {
		char *element = *elements + i * size;
		uint32_t faults = r->faults;
		if (row->keyed)
			read_entry(r, row, element, node->keys[i], node->items[i]);
		else
			read_element(r, row, element, node->items[i], i);
		if (r->places && r->faults != faults)
			record_places_add_faulty(r->places, element);
	}
}

static void read_scalar(struct reader *r, const struct record_row *row, void *record,
			const struct yaml_node *node)
{
	if (node->kind != YAML_KIND_SCALAR || record_yaml_is_null(node)) {
		complain_of_shape(r, row, node);
		return;
	}
	char *why = record_yaml_scalar(row, record, node);
	if (why)
		complain(r, node, "%s", why);
	free(why);
}

static void read_one(struct reader *r, const struct record_row *row, void *one,
		     const struct yaml_node *node)
{
	if (node->kind == YAML_KIND_MAPPING)
		read_record(r, row->table, one, node, NULL);
	else
		complain_of_shape(r, row, node);
}

/* A member that was written, or its fallback. */
static void read_member(struct reader *r, const struct record_row *row, void *record,
			const struct yaml_node *node)
{
	void *member = record_member(row, record);

	remember(r, member, node);
	if (row->kind == RECORD_LIST) {
		read_list(r, row, record, node);
	} else if (row->kind == RECORD_ONE) {
		read_one(r, row, member, node);
	} else if (row->kind == RECORD_MAYBE) {
		*(void **)member = mem_new(1, row->table->size);
		read_one(r, row, *(void **)member, node);
	} else {
		read_scalar(r, row, record, node);
	}
}

/* The fallback's text as a node. A scalar's is taken as it is; that of a list or map is YAML. */
static struct yaml_node *parse_fallback(const struct record_row *row)
{
	struct yaml_errors none = {.file = row->key};

	if (row->kind == RECORD_LIST || row->kind == RECORD_ONE || row->kind == RECORD_MAYBE)
		return yaml_tree_parse(row->fallback, strlen(row->fallback), &none);
	struct yaml_node *node = yaml_node_new(YAML_KIND_SCALAR, 0, 0);
	node->text = mem_text(row->fallback);
	return node;
}

/* Our own text: that it is wrong is a fault of the table, not of the file. */
void record_yaml_fallback(const struct record_row *row, void *record)
{
	struct yaml_errors errors = {.file = row->key};
	struct reader r = {.errors = &errors};
	struct yaml_node *node = parse_fallback(row);

	assert(node);
	read_member(&r, row, record, node);
	assert(errors.count == 0);
	yaml_tree_free(node);
}

/* A member that was not written. The members of a record inside have fallbacks of their own. */
static void read_absent(struct reader *r, const struct record_row *row, void *record,
			const struct yaml_node *node)
{
	char words[RECORD_WORDS_SIZE];

	if (row->required && !row->computed)
		complain(r, node, "'%s' is missing: takes %s", row->key, record_words(words, row));
	else if (row->fallback)
		record_yaml_fallback(row, record);
	else if (row->kind == RECORD_ONE) {
		struct yaml_node empty = {
			.kind = YAML_KIND_MAPPING, .line = node->line, .column = node->column};
		size_t used = enter(r, row->key);
		for (uint32_t i = 0; i < row->table->count; i++)
			read_absent(r, &row->table->rows[i], record_member(row, record), &empty);
		leave(r, used);
	}
}

/* Whether the row is one that a person may write here; in a map by name the first is the key. */
static bool is_writable(const struct record_table *table, const struct record_row *row,
			const struct record_row *keyed)
{
	return !row->computed && !(keyed && row == &table->rows[0]);
}

static void add_keys(char *text, size_t size, const struct record_table *table,
		     const struct record_row *keyed)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < table->count && used < size; i++)
		if (is_writable(table, &table->rows[i], keyed))
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 table->rows[i].key);
}

/* The key of what other tools call so; NULL: none. */
static const char *find_aka(const struct record_table *table, const char *name,
			    const struct record_row *keyed)
{
	char *word = mem_format(" %s ", name);
	const char *key = NULL;

	for (uint32_t i = 0; i < table->count && !key; i++) {
		const struct record_row *row = &table->rows[i];
		if (row->aka && is_writable(table, row, keyed) && strstr(row->aka, word))
			key = row->key;
	}
	free(word);
	return key;
}

static void complain_of_key(struct reader *r, const struct record_table *table,
			    const struct yaml_node *key, const struct record_row *keyed)
{
	struct nearest nearest = nearest_start(key->text);
	size_t used = enter(r, key->text);
	const char *aka = find_aka(table, key->text, keyed);
	char keys[RECORD_WORDS_SIZE];

	for (uint32_t i = 0; i < table->count; i++)
		if (is_writable(table, &table->rows[i], keyed))
			nearest_try(&nearest, table->rows[i].key);
	if (aka) {
		complain(r, key, "unknown key; here it is '%s'", aka);
	} else if (nearest.name) {
		complain(r, key, "unknown key; nearest is '%s'", nearest.name);
	} else {
		add_keys(keys, sizeof(keys), table, keyed);
		complain(r, key, "unknown key; legal are %s", keys);
	}
	leave(r, used);
}

static void check_keys(struct reader *r, const struct record_table *table,
		       const struct yaml_node *node, const struct record_row *keyed)
{
	for (uint32_t i = 0; i < node->count; i++) {
		uint32_t at = 0;
		while (at < table->count && (!is_writable(table, &table->rows[at], keyed) ||
					     strcmp(table->rows[at].key, node->keys[i]->text) != 0))
			at++;
		if (at == table->count)
			complain_of_key(r, table, node->keys[i], keyed);
	}
}

/* The row that reads the value: that of the map where the scalar may give way to one. */
static const struct record_row *row_for(const struct record_table *table,
					const struct record_row *row, const struct yaml_node *value)
{
	if (!row->map || value->kind != YAML_KIND_MAPPING)
		return row;
	for (uint32_t i = 0; i < table->count; i++)
		if (strcmp(table->rows[i].key, row->map) == 0)
			return &table->rows[i];
	assert(false);
	return row;
}

/* `keyed`: the row of the map by name that the record stands in; its first member is read. */
static void read_record(struct reader *r, const struct record_table *table, void *record,
			const struct yaml_node *node, const struct record_row *keyed)
{
	if (node->kind != YAML_KIND_MAPPING) {
		struct record_row self = {.kind = RECORD_ONE, .table = table};
		complain_of_shape(r, &self, node);
		return;
	}
	if (!keyed)
		remember(r, record, node);
	check_keys(r, table, node, keyed);
	for (uint32_t i = keyed ? 1 : 0; i < table->count; i++) {
		const struct record_row *row = &table->rows[i];
		const struct yaml_node *value =
			row->computed ? NULL : yaml_tree_find(node, row->key);
		if (!value) {
			read_absent(r, row, record, node);
			continue;
		}
		size_t used = enter(r, row->key);
		read_member(r, row_for(table, row, value), record, value);
		leave(r, used);
	}
}

bool record_yaml_read(const struct record_table *table, void *record, const struct yaml_node *node,
		      struct record_places *places, struct yaml_errors *errors)
{
	struct reader r = {.places = places, .errors = errors};

	read_record(&r, table, record, node, NULL);
	if (places)
		record_places_sort(places);
	return errors->count == 0;
}
