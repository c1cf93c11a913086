/* record_yaml_scalar.h - one scalar of YAML into one member: what record_yaml.c reads with. */
#ifndef MUSTER_COMMON_RECORD_YAML_SCALAR_H
#define MUSTER_COMMON_RECORD_YAML_SCALAR_H

#include "common/record.h"
#include "common/yaml_tree.h"

/* Written, but with nothing: empty, ~ or null, unquoted. */
bool record_yaml_is_null(const struct yaml_node *node);

/* Reads a scalar node into a bool, number, enumeration or text. NULL when that is done; else why
 * it cannot be, with what is legal: the caller's to free. */
char *record_yaml_scalar(const struct record_row *row, void *record, const struct yaml_node *node);

#endif
