#include "controller/report/trials.h"

#include <math.h>

#include "common/text.h"
#include "controller/analysis/gates.h"

const char *const trials_headings[TRIALS_COLUMNS] = {
	"phase", "metric",        "trials", "median", "95 % interval",
	"mean",  "95 % interval", "spread", "drift",  NULL};
const char *const comparisons_headings[TRIALS_COLUMNS] = {
	"phase", "against", "metric", "trials", "shift", "95 % interval", "p", "verdict", NULL};
const char trials_align[] = "llrrlrlrr", comparisons_align[] = "lllrrlrl";

/* A figure and its interval as a gate on the metric would show them. */
static void figure_cells(struct layout_table *table, const struct result_repeat *r, double value,
			 double low, double high)
{
	const struct result_gate like = {
		.metric = r->metric, .value = value, .low = low, .high = high};
	char text[UNITS_TEXT_SIZE], interval[GATES_INTERVAL_SIZE];

	layout_cell(table, "%s", gates_format_value(text, &like));
	layout_cell(table, "%s", gates_format_interval(interval, &like));
}

void trials_rows(struct layout_table *table, const struct result *result)
{
	for (uint32_t i = 0; i < result->repeats_count; i++) {
		const struct result_repeat *r = &result->repeats[i];
		layout_cell(table, "%s", text_or(r->phase, "?"));
		layout_cell(table, "%s", text_or(r->metric, "?"));
		if (r->left_out)
			layout_cell(table, "%u of %u", r->trials, r->trials + r->left_out);
		else
			layout_cell(table, "%u", r->trials);
		figure_cells(table, r, r->median, r->low, r->high);
		figure_cells(table, r, r->mean, r->mean_low, r->mean_high);
		layout_cell(table, "%.1f %%", 100 * r->spread);
		layout_cell(table, "%+.1f %%", 100 * r->drift);
	}
}

void comparisons_rows(struct layout_table *table, const struct result *result)
{
	for (uint32_t i = 0; i < result->comparisons_count; i++) {
		const struct result_comparison *c = &result->comparisons[i];
		layout_cell(table, "%s", text_or(c->phase, "?"));
		layout_cell(table, "%s", text_or(c->against, "?"));
		layout_cell(table, "%s", text_or(c->metric, "?"));
		layout_cell(table, "%u, %u", c->trials, c->against_trials);
		layout_cell(table, "%+.1f %%", c->shift);
		if (isnan(c->low))
			layout_cell(table, "%s", "");
		else
			layout_cell(table, "[%+.1f, %+.1f %%]", c->low, c->high);
		layout_cell(table, "%.2g", c->p);
		layout_cell(table, "%s", text_or(c->verdict, "?"));
	}
}
