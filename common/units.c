#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define THOUSANDTHS 1000

__extension__ typedef unsigned __int128 wide;

struct unit {
	const char *name;
	uint64_t factor;
};

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define PIB (UINT64_C(1) << 50)
#define EIB (UINT64_C(1) << 60)

static const struct unit byte_units[] = {
	{"", 1},
	{"B", 1},
	{"k", KIB},
	{"K", KIB},
	{"KiB", KIB},
	{"M", MIB},
	{"MiB", MIB},
	{"G", GIB},
	{"GiB", GIB},
	{"T", TIB},
	{"TiB", TIB},
	{"P", PIB},
	{"PiB", PIB},
	{"EiB", EIB},
	{"kB", 1000},
	{"MB", 1000000},
	{"GB", UINT64_C(1000000000)},
	{"TB", UINT64_C(1000000000000)},
	{"PB", UINT64_C(1000000000000000)},
	{"EB", UINT64_C(1000000000000000000)},
	{NULL, 0},
};
static const struct unit time_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", UINT64_C(1000000000)},
	{"m", UINT64_C(60000000000)},
	{"h", UINT64_C(3600000000000)},
	{NULL, 0},
};
static const struct unit count_units[] = {{"", 1}, {NULL, 0}};
static const struct unit percent_units[] = {{"%", 1}, {NULL, 0}};
static const struct unit fine_percent_units[] = {{"%", THOUSANDTHS}, {NULL, 0}};
static const struct unit ram_units[] = {{"x", THOUSANDTHS}, {NULL, 0}};

/* What a text is read as, for the sentence that refuses it. */
struct kind {
	const struct unit *units;
	const char *name;
	const char *legal;
};

static const struct kind count_kind = {count_units, "a number", "a whole number such as 16"};
static const struct kind bytes_kind = {
	byte_units, "a number of bytes",
	"4096, 4KiB, 1MiB, 2GiB or 1TiB (k, M, G, T, P are binary too), or decimal: 800MB"};
static const struct kind rate_kind = {byte_units, "a rate", "a size and '/s': 200MiB/s or 800MB/s"};
static const struct kind load_rate_kind = {byte_units, "a rate",
					   "100MiB/s of bytes, or 500/s or 500 iops of operations"};
static const struct kind time_kind = {time_units, "a time", "50ns, 10us, 50ms, 60s, 5m or 2h"};
static const struct kind percent_kind = {percent_units, "a percentage",
					 "a whole number and '%', as 10%"};
static const struct kind fine_percent_kind = {fine_percent_units, "a percentage",
					      "a number and '%', as 10% or 99.5%"};
static const struct kind ram_kind = {ram_units, "a multiple of RAM", "'2x ram' or '0.5x ram'"};

/* A decimal number, value / 10^decimals, and where the text goes on. */
struct number {
	uint64_t value;
	unsigned decimals;
	const char *rest;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

static int refuse(const char *text, const struct kind *kind, const char *why, struct error *err)
{
	error_set(err, ERROR_USAGE, "'%.80s' is not %s: %s; write %s", text, kind->name, why,
		  kind->legal);
	return -1;
}

static bool add_digit(uint64_t *value, char digit)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* The digits after the point. Zeros at the end say nothing and must not overflow. */
static const char *parse_fraction(const char *at, struct number *number)
{
	const char *end = at, *last;

	while (is_digit(*end))
		end++;
	if (end == at)
		return "no digit after the point";
	for (last = end; last > at && last[-1] == '0'; last--)
		;
	for (; at < last; at++, number->decimals++)
		if (!add_digit(&number->value, *at))
			return "too many digits";
	number->rest = end;
	return NULL;
}

/* NULL, or what is wrong. */
static const char *parse_number(const char *text, struct number *number)
{
	const char *at = text;

	*number = (struct number){0};
	if (*at == '-' || *at == '+')
		return "a sign is not allowed";
	if (!is_digit(*at))
		return *at ? "it does not begin with a digit" : "it is empty";
	if (at[0] == '0' && is_digit(at[1]))
		return "a number does not begin with 0";
	for (; is_digit(*at); at++)
		if (!add_digit(&number->value, *at))
			return "it is too large";
	number->rest = at;
	return *at == '.' ? parse_fraction(at + 1, number) : NULL;
}

/* NULL, or what is wrong. */
static const char *scale(const struct number *number, uint64_t factor, uint64_t *result)
{
	wide product = (wide)number->value * factor;

	for (unsigned i = 0; i < number->decimals; i++) {
		if (product % 10)
			return "it does not come to a whole number";
		product /= 10;
	}
	if (product > UINT64_MAX)
		return "it is too large";
	*result = (uint64_t)product;
	return NULL;
}

static const struct unit *unit_find(const struct unit *units, const char *name, size_t size)
{
	for (; units->name; units++)
		if (strlen(units->name) == size && memcmp(units->name, name, size) == 0)
			return units;
	return NULL;
}

static const char *unknown_unit(const struct kind *kind, const char *unit, size_t size)
{
	if (size == 0)
		return "it has no unit";
	if (kind->units == byte_units && size == 2 && memcmp(unit, "KB", 2) == 0)
		return "KB can mean two things, KiB is 1024 and kB is 1000 bytes";
	return "its unit is not known";
}

/* Reads number, blanks, and the unit that ends at `end`. */
static int parse(const char *text, const char *end, const struct kind *kind, uint64_t *value,
		 struct error *err)
{
	struct number number;
	const char *wrong = parse_number(text, &number);

	if (wrong)
		return refuse(text, kind, wrong, err);
	const char *name = skip_blanks(number.rest);
	size_t size = end > name ? (size_t)(end - name) : 0;
	const struct unit *unit = unit_find(kind->units, name, size);
	if (!unit || (!size && number.rest != name))
		return refuse(text, kind, unknown_unit(kind, name, size), err);
	wrong = scale(&number, unit->factor, value);
	return wrong ? refuse(text, kind, wrong, err) : 0;
}

static const char *text_end(const char *text)
{
	return text + strlen(text);
}

int units_parse_count(const char *text, uint64_t *value, struct error *err)
{
	return parse(text, text_end(text), &count_kind, value, err);
}

int units_parse_bytes(const char *text, uint64_t *bytes, struct error *err)
{
	return parse(text, text_end(text), &bytes_kind, bytes, err);
}

int units_parse_ns(const char *text, uint64_t *ns, struct error *err)
{
	if (strcmp(text, "0") == 0) {
		*ns = 0;
		return 0;
	}
	return parse(text, text_end(text), &time_kind, ns, err);
}

int units_parse_percent(const char *text, uint64_t *percent, struct error *err)
{
	return parse(text, text_end(text), &percent_kind, percent, err);
}

int units_parse_fine_percent(const char *text, uint64_t *thousandths, struct error *err)
{
	return parse(text, text_end(text), &fine_percent_kind, thousandths, err);
}

int units_parse_rate(const char *text, uint64_t *bytes_per_s, struct error *err)
{
	const char *end = text_end(text);

	if (end - text < 2 || strcmp(end - 2, "/s") != 0)
		return refuse(text, &rate_kind, "it does not end with '/s'", err);
	return parse(text, end - 2, &rate_kind, bytes_per_s, err);
}

/* Where the number of "500/s" or "500 iops" ends; NULL when the text is of bytes. */
static const char *operations_end(const char *text)
{
	const char *at = text;

	while (is_digit(*at) || *at == '.')
		at++;
	const char *unit = skip_blanks(at);
	return at > text && (!strcmp(unit, "/s") || !strcmp(unit, "iops")) ? at : NULL;
}

static int parse_operations(const char *text, const char *end, uint64_t *value, struct error *err)
{
	struct number number;
	const char *wrong = parse_number(text, &number);

	if (!wrong && number.rest != end)
		wrong = "its unit is not known";
	if (!wrong)
		wrong = scale(&number, 1, value);
	return wrong ? refuse(text, &load_rate_kind, wrong, err) : 0;
}

int units_parse_load_rate(const char *text, uint64_t *bytes_per_s, uint64_t *operations_per_s,
			  struct error *err)
{
	const char *operations = operations_end(text), *end = text_end(text);

	*bytes_per_s = *operations_per_s = 0;
	if (!operations && (end - text < 2 || strcmp(end - 2, "/s") != 0))
		return refuse(text, &load_rate_kind, "it is not by the second", err);
	if (operations ? parse_operations(text, operations, operations_per_s, err)
		       : parse(text, end - 2, &load_rate_kind, bytes_per_s, err))
		return -1;
	if (!*bytes_per_s && !*operations_per_s)
		return refuse(text, &load_rate_kind, "a rate is more than 0", err);
	return 0;
}

/* Where the "x" of "2x ram" ends; NULL when the text does not end with "ram". */
static const char *ram_end(const char *text)
{
	const char *end = text_end(text);

	if (end - text < 3 || strcmp(end - 3, "ram") != 0)
		return NULL;
	for (end -= 3; end > text && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	return end;
}

int units_parse_size(const char *text, uint64_t *bytes, uint64_t *thousandths_of_ram,
		     struct error *err)
{
	const char *ram = ram_end(text);

	*bytes = *thousandths_of_ram = 0;
	if (ram ? parse(text, ram, &ram_kind, thousandths_of_ram, err)
		: parse(text, text_end(text), &bytes_kind, bytes, err))
		return -1;
	if (*bytes == 0 && *thousandths_of_ram == 0)
		return refuse(text, ram ? &ram_kind : &bytes_kind, "a size is more than 0", err);
	return 0;
}

/* To `digits` significant ones, and all of those before the point. */
static char *format_digits(char text[UNITS_TEXT_SIZE], double value, int digits, const char *unit)
{
	double limit = 10, half = 0.5;
	int decimals = digits - 1;

	for (int i = 0; i < decimals; i++)
		half /= 10;
	for (; decimals > 0 && fabs(value) >= limit - half; limit *= 10, half *= 10)
		decimals--;
	snprintf(text, UNITS_TEXT_SIZE, "%.*f %s", decimals, value, unit);
	return text;
}

static char *format_binary(char text[UNITS_TEXT_SIZE], double bytes, const char *per)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	size_t power = 0;
	char unit[8];

	if (!isfinite(bytes))
		return strcpy(text, "unknown");
	/* 1023.7 MiB would be printed as 1024 MiB. */
	for (; fabs(bytes) >= 1023.5 && power < 6; power++)
		bytes /= 1024;
	snprintf(unit, sizeof(unit), "%s%s", names[power], per);
	return format_digits(text, bytes, power || *per ? 3 : 1, unit);
}

char *units_format_bytes(char text[UNITS_TEXT_SIZE], uint64_t bytes)
{
	return format_binary(text, (double)bytes, "");
}

char *units_format_rate(char text[UNITS_TEXT_SIZE], double bytes_per_s)
{
	return format_binary(text, bytes_per_s, "/s");
}

char *units_format_ns(char text[UNITS_TEXT_SIZE], double ns)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	size_t power = 0;

	if (!isfinite(ns))
		return strcpy(text, "unknown");
	for (; fabs(ns) >= 999.95 && power < 3; power++)
		ns /= 1000;
	return format_digits(text, ns, power ? 4 : 1, names[power]);
}

char *units_format_exact(char text[UNITS_TEXT_SIZE], uint64_t bytes)
{
	static const struct unit units[] = {{"EiB", EIB}, {"PiB", PIB}, {"TiB", TIB}, {"GiB", GIB},
					    {"MiB", MIB}, {"KiB", KIB}, {"", 1}};
	size_t i = 0;

	while (bytes % units[i].factor || (!bytes && units[i].factor > 1))
		i++;
	snprintf(text, UNITS_TEXT_SIZE, "%llu%s", (unsigned long long)(bytes / units[i].factor),
		 units[i].name);
	return text;
}
