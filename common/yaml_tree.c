#include "common/yaml_tree.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/owned.h"

enum { LEVELS_MAX = 16, NODES_MAX = 100000, FILE_MAX = 1 << 20 };

/* A tree that grows as events come. */
struct builder {
	yaml_parser_t parser;
	struct yaml_errors *errors;
	struct yaml_node *root;
	struct yaml_node *open[LEVELS_MAX]; /* collections that have not ended */
	uint32_t levels, nodes;
	struct yaml_node *key; /* of the innermost mapping: its value comes next */
};

/* What the loop over events does next. */
enum step { STEP_ON, STEP_END, STEP_FAILED };

static uint32_t line_of(yaml_mark_t mark)
{
	return (uint32_t)mark.line + 1;
}

static uint32_t column_of(yaml_mark_t mark)
{
	return (uint32_t)mark.column + 1;
}

/* "phases[1].targets": where the first `levels` open collections stand. */
static void format_path(const struct builder *b, uint32_t levels, char *path, size_t size)
{
	size_t used = 0;

	path[0] = '\0';
	for (uint32_t i = 0; i + 1 < levels && used < size; i++) {
		const struct yaml_node *node = b->open[i];
		if (node->kind == YAML_KIND_MAPPING) {
			const char *key = node->keys[node->count - 1]->text;
			used += (size_t)snprintf(path + used, size - used, "%s%.*s",
						 used ? "." : "", yaml_errors_shown(key), key);
		} else {
			used += (size_t)snprintf(path + used, size - used, "[%u]", node->count - 1);
		}
	}
}

/* An error at a value of the innermost open collection, under its path. */
static void complain(struct builder *b, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void complain(struct builder *b, uint32_t line, uint32_t column, const char *format, ...)
{
	char path[256], text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	format_path(b, b->levels, path, sizeof(path));
	const char *key = b->key ? b->key->text : "";
	yaml_errors_add(b->errors, line, column, "%s%s%.*s%s%s", path, path[0] && *key ? "." : "",
			yaml_errors_shown(key), key, path[0] || *key ? ": " : "", text);
}

static enum step fail(struct builder *b, yaml_mark_t mark, const char *what)
{
	complain(b, line_of(mark), column_of(mark), "%s", what);
	return STEP_FAILED;
}

static enum step attach(struct builder *b, struct yaml_node *node)
{
	struct yaml_node *parent = b->levels ? b->open[b->levels - 1] : NULL;

	if (!parent) {
		b->root = node;
	} else if (parent->kind == YAML_KIND_SEQUENCE) {
		yaml_node_append(parent, NULL, node);
	} else if (b->key) {
		yaml_node_append(parent, b->key, node);
		b->key = NULL;
	} else if (node->kind == YAML_KIND_SCALAR) {
		b->key = node;
	} else {
		complain(b, node->line, node->column, "a key must be a single word, not a %s",
			 node->kind == YAML_KIND_MAPPING ? "map" : "list");
		yaml_tree_free(node);
		return STEP_FAILED;
	}
	return STEP_ON;
}

/* Counts, checks what any node may carry, and hangs it into the tree. */
static enum step add_node(struct builder *b, struct yaml_node *node, const yaml_char_t *anchor,
			  const yaml_char_t *tag)
{
	if (++b->nodes > NODES_MAX) {
		complain(b, node->line, node->column, "the file has more than %d values",
			 NODES_MAX);
		yaml_tree_free(node);
		return STEP_FAILED;
	}
	if (anchor)
		complain(b, node->line, node->column,
			 "anchors ('&%.*s') are not taken: write the "
			 "value out where it is used",
			 yaml_errors_shown((const char *)anchor), (const char *)anchor);
	if (tag)
		complain(b, node->line, node->column, "tags ('%.*s') are not taken: leave it out",
			 yaml_errors_shown((const char *)tag), (const char *)tag);
	return attach(b, node);
}

static enum step add_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	struct yaml_node *node = yaml_node_new(YAML_KIND_SCALAR, line_of(event->start_mark),
					       column_of(event->start_mark));

	if (strlen(text) != event->data.scalar.length)
		complain(b, node->line, node->column, "a NUL character is not taken in a text");
	node->text = mem_text(text);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return add_node(b, node, event->data.scalar.anchor, event->data.scalar.tag);
}

static enum step begin_collection(struct builder *b, const yaml_event_t *event)
{
	bool mapping = event->type == YAML_MAPPING_START_EVENT;
	struct yaml_node *node;
	enum step step;

	if (b->levels == LEVELS_MAX)
		return fail(b, event->start_mark, "more than 16 levels of lists and maps");
	node = yaml_node_new(mapping ? YAML_KIND_MAPPING : YAML_KIND_SEQUENCE,
			     line_of(event->start_mark), column_of(event->start_mark));
	if (mapping)
		step = add_node(b, node, event->data.mapping_start.anchor,
				event->data.mapping_start.tag);
	else
		step = add_node(b, node, event->data.sequence_start.anchor,
				event->data.sequence_start.tag);
	if (step == STEP_ON)
		b->open[b->levels++] = node;
	return step;
}

static int compare_keys(const void *a, const void *b)
{
	const struct yaml_node *x = *(struct yaml_node *const *)a;
	const struct yaml_node *y = *(struct yaml_node *const *)b;
	int order = strcmp(x->text, y->text);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : (x->column > y->column) - (x->column < y->column);
}

/* By sorting: a file of nothing but keys must not take the square of its size. */
static void check_duplicates(struct builder *b, const struct yaml_node *mapping)
{
	struct yaml_node **keys = mem_new(mapping->count, sizeof(*keys));
	const struct yaml_node *first = NULL;

	memcpy(keys, mapping->keys, mapping->count * sizeof(*keys));
	qsort(keys, mapping->count, sizeof(*keys), compare_keys);
	for (uint32_t i = 0; i < mapping->count; i++) {
		if (first && strcmp(first->text, keys[i]->text) == 0)
			complain(b, keys[i]->line, keys[i]->column,
				 "the key '%.*s' is there already, in line %u: leave one out",
				 yaml_errors_shown(first->text), first->text, first->line);
		else
			first = keys[i];
	}
	free(keys);
}

static enum step end_collection(struct builder *b)
{
	const struct yaml_node *node = b->open[b->levels - 1];

	if (node->kind == YAML_KIND_MAPPING && node->count > 1)
		check_duplicates(b, node);
	b->levels--;
	return STEP_ON;
}

static enum step end_stream(struct builder *b)
{
	const struct yaml_node *root = b->root;

	if (root && (root->kind != YAML_KIND_SCALAR || root->quoted || root->text[0]))
		return STEP_END;
	yaml_errors_add(b->errors, 1, 1, "the file is empty");
	return STEP_FAILED;
}

static enum step take_event(struct builder *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->root)
			return fail(b, event->start_mark, "a second document begins: one is taken");
		return STEP_ON;
	case YAML_ALIAS_EVENT:
		return fail(b, event->start_mark,
			    "aliases ('*') are not taken: write the value out, or quote it");
	case YAML_SCALAR_EVENT:
		return add_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return begin_collection(b, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return end_collection(b);
	case YAML_STREAM_END_EVENT:
		return end_stream(b);
	default:
		return STEP_ON;
	}
}

/* libyaml's reader tells the byte, but not the line. */
static void complain_of_bytes(struct builder *b, const char *bytes, size_t size)
{
	uint32_t line = 1, column = 1;

	for (size_t i = 0; i < size && i < b->parser.problem_offset; i++) {
		bool character = ((unsigned char)bytes[i] & 0xc0) != 0x80;
		column = bytes[i] == '\n' ? 1 : column + character;
		line += bytes[i] == '\n';
	}
	yaml_errors_add(b->errors, line, column, "not UTF-8 text: %s",
			b->parser.problem ? b->parser.problem : "unreadable");
}

/* A tab for indentation is the one mistake that cannot be seen. */
static bool is_tab(const char *bytes, size_t size, yaml_mark_t mark)
{
	const char *line = bytes, *end = bytes + size;

	for (size_t i = 0; i < mark.line && line; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line && (size_t)(end - line) > mark.column && line[mark.column] == '\t';
}

static void complain_of_syntax(struct builder *b, const char *bytes, size_t size)
{
	const yaml_parser_t *p = &b->parser;
	uint32_t line = line_of(p->problem_mark), column = column_of(p->problem_mark);

	if (p->error == YAML_READER_ERROR)
		complain_of_bytes(b, bytes, size);
	else if (p->error == YAML_MEMORY_ERROR)
		yaml_errors_add_file(b->errors, "not enough memory to read it");
	else if (is_tab(bytes, size, p->problem_mark))
		yaml_errors_add(b->errors, line, column, "a tab: YAML is indented with blanks");
	else if (p->context)
		yaml_errors_add(b->errors, line, column, "not YAML: %s %s that begins in line %u",
				p->problem, p->context, line_of(p->context_mark));
	else
		yaml_errors_add(b->errors, line, column, "not YAML: %s", p->problem);
}

static enum step next_event(struct builder *b, const char *bytes, size_t size)
{
	yaml_event_t event;

	if (!yaml_parser_parse(&b->parser, &event)) {
		complain_of_syntax(b, bytes, size);
		return STEP_FAILED;
	}
	enum step step = take_event(b, &event);
	yaml_event_delete(&event);
	return step;
}

struct yaml_node *yaml_tree_parse(const char *bytes, size_t size, struct yaml_errors *errors)
{
	struct builder b = {.errors = errors};
	enum step step = STEP_ON;

	if (size > FILE_MAX) {
		yaml_errors_add(errors, 1, 1, "the file is larger than 1 MiB");
		return NULL;
	}
	if (!yaml_parser_initialize(&b.parser)) {
		yaml_errors_add_file(errors, "not enough memory to read it");
		return NULL;
	}
	/* Some editors begin a file with a mark of its encoding. */
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
		bytes += 3;
		size -= 3;
	}
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)bytes, size);
	while (step == STEP_ON)
		step = next_event(&b, bytes, size);
	yaml_parser_delete(&b.parser);
	yaml_tree_free(b.key);
	if (step == STEP_END)
		return b.root;
	yaml_tree_free(b.root);
	return NULL;
}

/* A byte more than is taken tells a file that is too large. */
static struct yaml_node *read_open(FILE *file, struct yaml_errors *errors)
{
	char *bytes = mem_new(FILE_MAX + 1, 1);
	size_t size = fread(bytes, 1, FILE_MAX + 1, file);
	struct yaml_node *root = NULL;

	if (ferror(file))
		yaml_errors_add_file(errors, "cannot be read: %s", strerror(errno));
	else
		root = yaml_tree_parse(bytes, size, errors);
	free(bytes);
	return root;
}

static bool is_owned(FILE *file, const char *path, struct yaml_errors *errors)
{
	struct stat status;
	char *fault = fstat(fileno(file), &status) < 0 ? mem_text(strerror(errno))
						       : owned_fault(&status, 022, path);

	if (fault)
		yaml_errors_add_file(errors, "%s", fault);
	free(fault);
	return !fault;
}

/* A plan that a shell makes in passing comes through a pipe: so long it may take to begin. */
#define PIPE_PATIENCE_S 5

static bool is_silent_pipe(FILE *file)
{
	struct pollfd item = {.fd = fileno(file), .events = POLLIN};
	struct stat status;

	return fstat(item.fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
	       poll(&item, 1, PIPE_PATIENCE_S * 1000) == 0;
}

static struct yaml_node *read_path(const char *path, bool owned, struct yaml_errors *errors)
{
	int fd = file_open(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
	struct yaml_node *root = NULL;

	if (!errors->file)
		errors->file = path;
	if (!file) {
		yaml_errors_add_file(errors, "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	if (is_silent_pipe(file))
		yaml_errors_add_file(errors,
				     "is a pipe, and nobody has written into it for %d s: name a "
				     "file",
				     PIPE_PATIENCE_S);
	else if (!owned || is_owned(file, path, errors))
		root = read_open(file, errors);
	fclose(file);
	return root;
}

struct yaml_node *yaml_tree_read(const char *path, struct yaml_errors *errors)
{
	return read_path(path, false, errors);
}

struct yaml_node *yaml_tree_read_owned(const char *path, struct yaml_errors *errors)
{
	return read_path(path, true, errors);
}
