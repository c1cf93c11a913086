/* A number with a unit: refused with a reason, or a value whose exact text parses back. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/units.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void parse_exact(uint64_t bytes)
{
	char text[UNITS_TEXT_SIZE];
	struct error err;
	uint64_t back;
	int result = units_parse_bytes(units_format_exact(text, bytes), &back, &err);

	assert(result == 0 && back == bytes);
}

static void format(uint64_t value)
{
	char text[UNITS_TEXT_SIZE];

	assert(units_format_bytes(text, value)[0]);
	assert(units_format_rate(text, (double)value)[0]);
	assert(units_format_ns(text, (double)value)[0]);
}

static void parse(const char *text)
{
	static int (*const parsers[])(const char *, uint64_t *, struct error *) = {
		units_parse_count,   units_parse_bytes, units_parse_ns,
		units_parse_percent, units_parse_rate,
	};
	uint64_t value, thousandths;

	for (size_t i = 0; i < sizeof(parsers) / sizeof(parsers[0]); i++) {
		struct error err = {0};
		if (parsers[i](text, &value, &err) == 0) {
			accepted = true;
			parse_exact(value);
			format(value);
		} else {
			assert(err.kind == ERROR_USAGE && err.text[0]);
		}
	}
	struct error err = {0};
	if (units_parse_load_rate(text, &value, &thousandths, &err) == 0) {
		accepted = true;
		assert((value > 0) != (thousandths > 0));
	}
	if (units_parse_size(text, &value, &thousandths, &err) == 0)
		assert((value > 0) != (thousandths > 0));
	else
		assert(err.kind == ERROR_USAGE && err.text[0]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = mem_new(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	parse(text);
	free(text);
	return 0;
}
