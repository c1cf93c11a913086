/* run_fuzz.c - any bytes as a run.json, with a timeline.csv behind a NUL: read, judged, reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/foreign.h"
#include "controller/judge.h"
#include "controller/report/report.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_new(size + 1, 1);
	struct result result;
	struct result_series series;
	struct error err = {0};

	if (size)
		memcpy(text, data, size);
	size_t length = strlen(text);
	struct bytes timeline = {0};
	if (length < size)
		timeline = (struct bytes){.data = (unsigned char *)text + length + 1,
					  .size = size - length - 1};
	if (judge_parse_run(text, timeline.size ? &timeline : NULL, &result, &series, &err) == 0) {
		static FILE *nowhere;
		accepted = true;
		if (!nowhere)
			nowhere = fopen("/dev/null", "w");
		judge_result(&result, &series, NULL);
		report_text(&result, &series, "here", nowhere);
		foreign_result_release(&result, &series);
	} else if (!err.text[0]) {
		abort(); /* refused without a word */
	}
	free(text);
	return 0;
}
