#include "common/record_yaml.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/record_member.h"

void record_places_add(struct record_places *places, const void *member, uint32_t line,
		       uint32_t column)
{
	/* Room doubles at powers of two; sorting only makes the count less. */
	if ((places->count & (places->count - 1)) == 0)
		places->places = mem_resize(places->places, (size_t)places->count * 2 + 1,
					    sizeof(*places->places));
	places->places[places->count] = (struct record_place){
		.member = member, .line = line, .column = column, .order = places->count};
	places->count++;
}

void record_places_add_faulty(struct record_places *places, const void *element)
{
	*(const void **)RECORD_APPEND(places->faulty, places->faulty_count) = element;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct record_place *)a)->member;
	uintptr_t y = (uintptr_t)((const struct record_place *)b)->member;

	return (x > y) - (x < y);
}

static int by_address_and_order(const void *a, const void *b)
{
	const struct record_place *x = a, *y = b;
	int order = by_address(a, b);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_value(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (const void *const *)a,
		  y = (uintptr_t) * (const void *const *)b;

	return (x > y) - (x < y);
}

/* A record is added before its members, so of one address the last is the innermost. */
void record_places_sort(struct record_places *places)
{
	struct record_place *p = places->places;
	uint32_t kept = 0;

	if (places->faulty_count)
		qsort(places->faulty, places->faulty_count, sizeof(*places->faulty), by_value);
	if (!places->count)
		return;
	qsort(p, places->count, sizeof(*p), by_address_and_order);
	for (uint32_t i = 1; i < places->count; i++) {
		if (p[i].member != p[kept].member)
			kept++;
		p[kept] = p[i];
	}
	places->count = kept + 1;
	for (uint32_t i = 0; i < places->count; i++)
		p[i].order = i;
}

const struct record_place *record_places_find(const struct record_places *places,
					      const void *member)
{
	struct record_place wanted = {.member = member};

	if (!places->count)
		return NULL;
	return bsearch(&wanted, places->places, places->count, sizeof(wanted), by_address);
}

bool record_places_is_sound(const struct record_places *places, const void *element)
{
	return !places->faulty_count || !bsearch(&element, places->faulty, places->faulty_count,
						 sizeof(*places->faulty), by_value);
}

void record_places_forget(const struct record_places *places, const struct record_table *table,
			  void *record)
{
	for (uint32_t i = 0; i < table->count; i++) {
		double *member = record_member(&table->rows[i], record);
		if (table->rows[i].kind == RECORD_F64 && !record_places_find(places, member))
			*member = NAN;
	}
}

void record_places_release(struct record_places *places)
{
	free(places->places);
	free(places->faulty);
	*places = (struct record_places){0};
}
