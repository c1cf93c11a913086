#include "common/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* No legal name is longer; what is found may be. */
enum { LONGEST = 48 };

struct nearest nearest_start(const char *found)
{
	return (struct nearest){.found = found};
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static int same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: Levenshtein's rows, and one more for two letters swapped. */
static unsigned distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned rows[3][LONGEST + 1];

	for (size_t j = 0; j <= b_size; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			now[j] = least(last[j], now[j - 1]) + 1;
			now[j] = least(now[j], last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t found_size = strlen(nearest->found), name_size = strlen(name);

	if (!found_size || found_size > LONGEST || name_size > LONGEST)
		return;
	if (nearest->name && nearest->distance == 0)
		return;
	bool begins = found_size >= 2 && strncasecmp(nearest->found, name, found_size) == 0;
	size_t longer = found_size > name_size ? found_size : name_size;
	/* They are apart by what one is longer at least: mostly that says enough. */
	size_t most = begins ? longer : longer / 3;
	if (nearest->name && nearest->distance <= most)
		most = nearest->distance - 1;
	if (longer - (found_size < name_size ? found_size : name_size) > most)
		return;
	unsigned apart = distance(nearest->found, found_size, name, name_size);
	if (apart > most)
		return;
	nearest->name = name;
	nearest->distance = apart;
}
