#include "common/real.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *real_format(char text[REAL_TEXT_SIZE], double value)
{
	assert(isfinite(value));
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, REAL_TEXT_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	return text;
}

static const char *skip_digits(const char *text)
{
	return text + strspn(text, "0123456789");
}

/* Whether the text is [-]digits[.digits][e[+-]digits]. strtod alone takes far more. */
static bool is_decimal(const char *text)
{
	text += *text == '-';
	const char *end = skip_digits(text);
	if (end == text || (*text == '0' && end > text + 1))
		return false;
	if (*end == '.') {
		const char *fraction = end + 1;
		end = skip_digits(fraction);
		if (end == fraction)
			return false;
	}
	if (*end == 'e' || *end == 'E') {
		const char *exponent = end + 1;
		exponent += *exponent == '+' || *exponent == '-';
		end = skip_digits(exponent);
		if (end == exponent)
			return false;
	}
	return *end == '\0';
}

bool real_parse(const char *text, double *value)
{
	if (!is_decimal(text))
		return false;
	*value = strtod(text, NULL);
	return isfinite(*value);
}
