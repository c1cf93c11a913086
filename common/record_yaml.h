/* record_yaml.h - a tree of YAML into a record, with every error at its place. */
#ifndef MUSTER_COMMON_RECORD_YAML_H
#define MUSTER_COMMON_RECORD_YAML_H

#include "common/record.h"
#include "common/yaml_tree.h"

/* Where each member was written, so that a rule over several members can point at one. Zero it
 * before use. */
struct record_place {
	const void *member;
	uint32_t line, column;
	uint32_t order; /* in which it was added */
};
struct record_places {
	struct record_place *places; /* after record_yaml_read: by address, one for each */
	const void **faulty;         /* by address: the elements of lists with an error in them */
	uint32_t count, faulty_count;
};
void record_places_release(struct record_places *places);
/* The place of a member's value, or of a record (where it begins); NULL when it was not written.
 * A record and its first member have one address: the place is the member's when that was written
 * (in a map by name the key, which is the first member), else the record's. */
const struct record_place *record_places_find(const struct record_places *places,
					      const void *member);

/* Whether an element of a list was read without an error in it. */
bool record_places_is_sound(const struct record_places *places, const void *element);

/* Makes NAN of each number (RECORD_F64) of a record that was not written. */
void record_places_forget(const struct record_places *places, const struct record_table *table,
			  void *record);

/* Adds a place or a faulty element, and puts all in order for what finds them: record_yaml_read's
 * own. */
void record_places_add(struct record_places *places, const void *member, uint32_t line,
		       uint32_t column);
void record_places_add_faulty(struct record_places *places, const void *element);
void record_places_sort(struct record_places *places);

/* Fills the zeroed `record` from a mapping, with fallbacks for what is absent. Adds an error line
 * for each unknown key (with the nearest legal one), value out of range (with what is legal),
 * wrong shape and missing key: all of them, not the first alone. Paths are as in
 * "phases[0].block_size" and "targets.perc0.size". A fault that several records inherited from one
 * place is one line. Answers whether `errors` is empty, with what the tree's reader may have added
 * before; the record is fit for record_release either way. `places` may be NULL. List elements do
 * not move afterwards, so places stay true. */
bool record_yaml_read(const struct record_table *table, void *record, const struct yaml_node *node,
		      struct record_places *places, struct yaml_errors *errors);

/* Stores the fallback of a row that has one, as if it had been written. */
void record_yaml_fallback(const struct record_row *row, void *record);

#endif
