/* plan_tree.h - what a plan leaves unsaid, completed in the tree before it is read.
 *
 * Done on nodes rather than on structs, since only a tree knows what was written: a phase that says
 * `runtime: 0` is not one that says nothing. What is inherited keeps the line and column where it
 * was written, and a fault in it is reported once, there. */
#ifndef MUSTER_CONTROLLER_PLAN_TREE_H
#define MUSTER_CONTROLLER_PLAN_TREE_H

#include <stdbool.h>

#include "common/record.h"
#include "common/yaml_tree.h"

/* Takes `defaults` out, reports what is wrong in it, and gives each phase what it lacks. Answers
 * whether all of it was right. */
bool plan_tree_defaults(struct yaml_node *root, struct yaml_errors *errors);

/* Completes each agents entry's `targets` from the plan's targets of the same name. */
void plan_tree_overrides(struct yaml_node *root);

#endif
