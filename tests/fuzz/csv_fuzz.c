/* csv_fuzz.c - any bytes as a table of CSV: read, or refused with a reason. The first says of which
 * table. */
#include <stdlib.h>
#include <string.h>

#include "common/record_csv.h"
#include "controller/foreign.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_table(const struct record_table *table, const char *bytes, size_t size)
{
	struct yaml_errors errors = {.file = "table.csv"};
	void *list;
	uint32_t count;
	bool ok = record_csv_read(table, &list, &count, bytes, size, &errors);

	if (ok != (errors.count == 0) || (!ok && (list || count)))
		abort();
	accepted = ok && count;
	record_csv_free(table, &list, &count);
	yaml_errors_release(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct record_table *const tables[] = {&foreign_sample_table,  &foreign_total_table,
						     &foreign_counter_table, &foreign_tick_table,
						     &sweep_point_table,     &result_bucket_table};
	const size_t count = sizeof(tables) / sizeof(tables[0]);

	if (size)
		try_table(tables[data[0] % count], (const char *)data + 1, size - 1);
	return 0;
}
