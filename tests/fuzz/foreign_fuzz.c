/* foreign_fuzz.c - any bytes as foreign numbers: read, built into a result, judged, released. */
#include <stdlib.h>

#include "controller/foreign.h"
#include "controller/judge.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct yaml_errors errors = {.file = "facts.yaml"};
	struct foreign foreign;
	bool ok = foreign_parse(&foreign, (const char *)data, size, NULL, &errors);

	if (ok != (errors.count == 0))
		abort(); /* refused without a word, or taken with one */
	accepted = ok;
	if (ok) {
		struct result result;
		struct result_series series;
		foreign_build(&foreign, &result, &series);
		foreign_release(&foreign);
		judge_result(&result, &series, NULL);
		if (!result.outcome)
			abort();
		foreign_result_release(&result, &series);
	}
	yaml_errors_release(&errors);
	return 0;
}
