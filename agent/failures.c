#include "agent/failures.h"

static struct failure *find(struct failures *kinds, enum io_kind op, int number)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		if (kinds->all[i].op == op && kinds->all[i].number == number)
			return &kinds->all[i];
	return NULL;
}

void failures_add(struct failures *kinds, const struct failure *one)
{
	struct failure *into = find(kinds, one->op, one->number);

	if (!into && kinds->count < FAILURES_MOST) {
		kinds->all[kinds->count++] = *one;
		return;
	}
	if (!into) {
		into = &kinds->all[FAILURES_MOST - 1];
		into->number = FAILURES_OTHER;
	}
	into->count += one->count;
	if (one->first_ns < into->first_ns) {
		into->first_ns = one->first_ns;
		into->first_offset = one->first_offset;
	}
}
