#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "controller/analysis/gates.h"

/* The unit that the limit begins with, after its number: "MB" of "at_least 800 MB/s". The power of
 * 1000 or 1024, and which; 0 where it is written in bytes. */
static uint32_t unit_power(const char *limit, bool *is_decimal)
{
	static const char letters[] = "kMGT";
	size_t number = strcspn(limit, "0123456789");
	const char *unit = limit + number;

	unit += strspn(unit, "0123456789. ");
	const char *letter = *unit == 'K' ? letters : *unit ? strchr(letters, *unit) : NULL;
	*is_decimal = letter && unit[1] == 'B';
	return letter ? (uint32_t)(letter - letters) + 1 : 0;
}

static char *format_like(char text[UNITS_TEXT_SIZE], double bytes_per_s, const char *limit)
{
	static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB"};
	static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	bool is_decimal;
	uint32_t power = unit_power(limit, &is_decimal);

	if (!power)
		return units_format_rate(text, bytes_per_s);
	double value = bytes_per_s / pow(is_decimal ? 1000 : 1024, power);
	snprintf(text, UNITS_TEXT_SIZE, "%.*f %s/s",
		 value >= 100  ? 1
		 : value >= 10 ? 2
			       : 3,
		 value, (is_decimal ? decimal : binary)[power]);
	return text;
}

static enum plan_metric_unit unit_of(const struct result_gate *gate)
{
	int metric = gate->metric ? record_enum_find(plan_metric_names, gate->metric) : -1;
	struct plan_gate of = {.metric = metric < 0 ? PLAN_METRICS : (enum plan_metric)metric,
			       .against = gate->against};

	return plan_gate_unit(&of);
}

/* A rate of 99.6 does not reach 100, and must not look as if it did. */
static char *format(char text[UNITS_TEXT_SIZE], const struct result_gate *gate, double value)
{
	switch (unit_of(gate)) {
	case PLAN_METRIC_UNIT_PERCENT:
		snprintf(text, UNITS_TEXT_SIZE, "%.1f %%", value);
		break;
	case PLAN_METRIC_UNIT_NS:
		units_format_ns(text, value);
		break;
	case PLAN_METRIC_UNIT_COUNT:
		snprintf(text, UNITS_TEXT_SIZE, "%.*f", text_is(gate->metric, "iops") ? 1 : 0,
			 value);
		break;
	case PLAN_METRIC_UNIT_RATE:
		format_like(text, value, text_or(gate->limit, ""));
		break;
	}
	return text;
}

char *gates_format_value(char text[UNITS_TEXT_SIZE], const struct result_gate *gate)
{
	if (!isnan(gate->value))
		return format(text, gate, gate->value);
	snprintf(text, UNITS_TEXT_SIZE, "not measured");
	return text;
}

char *gates_format_interval(char text[GATES_INTERVAL_SIZE], const struct result_gate *gate)
{
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	text[0] = '\0';
	if (isnan(gate->low) || isnan(gate->high))
		return text;
	format(low, gate, gate->low);
	format(high, gate, gate->high);
	char *unit = strchr(low, ' '), *same = strchr(high, ' ');
	if (unit && same && strcmp(unit, same) == 0)
		*unit = '\0';
	snprintf(text, GATES_INTERVAL_SIZE, "[%s, %s]", low, high);
	return text;
}

char *gates_format_margin(char text[UNITS_TEXT_SIZE], const struct result_gate *gate)
{
	text[0] = '\0';
	if (fabs(gate->margin) >= 10) /* a limit that is nowhere near */
		snprintf(text, UNITS_TEXT_SIZE, gate->margin > 0 ? "> +1000 %%" : "< -1000 %%");
	else if (!isnan(gate->margin))
		snprintf(text, UNITS_TEXT_SIZE, "%+.1f %%", 100 * gate->margin);
	return text;
}
