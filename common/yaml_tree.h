/* yaml_tree.h - a YAML file as a tree of nodes that remember where they stood.
 *
 * Read with libyaml's event parser. Refused, with file:line:column: duplicate keys, anchors and
 * aliases, tags, more than one document, more than 16 levels, more than 100,000 nodes, files over
 * 1 MiB, an empty file, NUL characters, keys that are not scalars. */
#ifndef MUSTER_COMMON_YAML_TREE_H
#define MUSTER_COMMON_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/yaml_errors.h"

enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_SEQUENCE, YAML_KIND_MAPPING };

struct yaml_node {
	enum yaml_kind kind;
	uint32_t line, column;    /* from 1; both 0: from the command line (--set) */
	char *text;               /* scalar */
	bool quoted;              /* scalar: "010" is text, 010 is a faulty number */
	struct yaml_node **items; /* sequence and mapping, in order */
	struct yaml_node **keys;  /* mapping: the scalar node of each item's key */
	uint32_t count;
};

/* NULL when it cannot be read or is not YAML as above: errors then has at least one line. Faults
 * that leave the shape clear (a duplicate key, of which the first counts; an anchor; a tag) add
 * their line and the tree is answered all the same, so that a reader can find what else is wrong:
 * the file is good only when `errors` is empty at the end. Where errors.file is NULL it becomes
 * `path`, which is kept. A pipe will do where the first byte comes within 5 s. */
struct yaml_node *yaml_tree_read(const char *path, struct yaml_errors *errors);
/* Only where it is root's or ours, and nobody else may change it (owned.h). */
struct yaml_node *yaml_tree_read_owned(const char *path, struct yaml_errors *errors);
struct yaml_node *yaml_tree_parse(const char *bytes, size_t size, struct yaml_errors *errors);

/* A node with no text and no items. */
struct yaml_node *yaml_node_new(enum yaml_kind kind, uint32_t line, uint32_t column);
/* Puts `item` last in `parent`; `key` is NULL in a sequence. Takes both. */
void yaml_node_append(struct yaml_node *parent, struct yaml_node *key, struct yaml_node *item);
void yaml_tree_free(struct yaml_node *node);

/* The value of a key of a mapping; NULL when absent or when `mapping` is none. */
struct yaml_node *yaml_tree_find(const struct yaml_node *mapping, const char *key);

/* Sets `path` ("defaults.runtime", "phases.write.size": a sequence of mappings is entered by the
 * value of `name` or by its index from 0, "phases.0" or "phases[0]") to the scalar or flow
 * collection `value`, making keys of mappings where they are absent. A key that holds dots is
 * found when it exists. Answers false, with an error line, when the path leads nowhere. */
bool yaml_tree_set(struct yaml_node *root, const char *path, const char *value,
		   struct yaml_errors *errors);

/* Gives `into` a copy of every key of `from` that it lacks; used for defaults and overrides. */
void yaml_tree_inherit(struct yaml_node *into, const struct yaml_node *from);

/* Takes a key out of a mapping and answers its value, the caller's now; NULL when absent. */
struct yaml_node *yaml_tree_take(struct yaml_node *mapping, const char *key);

#endif
