#include "controller/analysis/sweep_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/knee.h"
#include "controller/analysis/layers.h"
#include "controller/analysis/scaling.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/values.h"

#define VOLUME_TOLERANCE 1.1  /* largest of smallest */
#define AT_LIMIT         0.95 /* of what is shared: then that is the limit */
#define MEMBER_LOSS      0.05
#define NUMA_LEAST       0.80 /* worst node of the best */
#define NAME             "sweep '%s'%s%s"

/* The points of a sweep that are one curve. */
struct curve {
	struct result *result;
	const struct fact_sweep *sweep;
	const char *op;                    /* NULL: it has no name */
	const struct sweep_point **points; /* in order of settings */
	uint32_t points_count;
	struct knee_setting *settings;
	uint32_t settings_count;
};

static const char *op_before(const struct curve *c)
{
	return c->op ? ", " : "";
}

static double rate_of(const struct curve *c, const struct sweep_point *p)
{
	if (!isnan(p->bytes_per_s))
		return p->bytes_per_s;
	if (!isnan(p->bytes) && !isnan(p->seconds))
		return p->bytes / p->seconds;
	return c->sweep->block_size ? p->operations_per_s * (double)c->sweep->block_size
				    : p->operations_per_s;
}

/* Bytes/s, or operations/s where a curve has nothing else. */
static bool is_bytes(const struct curve *c)
{
	return c->sweep->block_size || !isnan(c->points[0]->bytes_per_s) ||
	       !isnan(c->points[0]->bytes);
}

static const char *format(char text[UNITS_TEXT_SIZE], const struct curve *c, double rate)
{
	if (is_bytes(c))
		return units_format_rate(text, rate);
	snprintf(text, UNITS_TEXT_SIZE, "%.0f/s", rate);
	return text;
}

/* ---- curves ---- */

static int compare_points(const void *a, const void *b)
{
	double x = (*(const struct sweep_point *const *)a)->setting;
	double y = (*(const struct sweep_point *const *)b)->setting;

	return (x > y) - (x < y);
}

/* Points of one setting become its values. */
static void group(struct curve *c)
{
	uint32_t end;

	c->settings = mem_new(c->points_count, sizeof(*c->settings));
	for (uint32_t from = 0; from < c->points_count; from = end) {
		struct knee_setting *setting = &c->settings[c->settings_count++];
		setting->setting = c->points[from]->setting;
		setting->values = mem_new(c->points_count - from, sizeof(*setting->values));
		for (end = from;
		     end < c->points_count && !(c->points[end]->setting > setting->setting); end++)
			setting->values[setting->count++] = rate_of(c, c->points[end]);
		setting->median = stats_median(setting->values, setting->count);
	}
}

static bool is_of(const struct sweep_point *point, const char *op)
{
	return op ? text_is(point->op, op) : !point->op;
}

static struct curve curve_of(struct result *result, const struct fact_sweep *sweep, const char *op)
{
	struct curve c = {.result = result, .sweep = sweep, .op = op};

	c.points = mem_new(sweep->points_count, sizeof(const struct sweep_point *));
	for (uint32_t i = 0; i < sweep->points_count; i++)
		if (is_of(&sweep->points[i], op))
			c.points[c.points_count++] = &sweep->points[i];
	qsort(c.points, c.points_count, sizeof(const struct sweep_point *), compare_points);
	group(&c);
	return c;
}

static void curve_release(struct curve *c)
{
	for (uint32_t i = 0; i < c->settings_count; i++)
		free(c->settings[i].values);
	free(c->settings);
	free(c->points);
}

/* ---- whether it can be judged ---- */

static uint32_t check_length(const struct curve *c)
{
	char least[UNITS_TEXT_SIZE];
	uint32_t count = 0;
	double shortest = INFINITY;

	for (uint32_t i = 0; i < c->points_count; i++) {
		double seconds = c->points[i]->seconds;
		if (!(seconds * 1e9 < (double)c->sweep->min_window))
			continue;
		count++;
		shortest = fmin(shortest, seconds);
	}
	if (!count)
		return 0;
	struct result_finding *finding = findings_add(
		c->result, "TOO_SHORT", NULL, NULL, NULL, NULL,
		"move more in each point; or lower the sweep's min_window",
		NAME ": %u of %u points took less than %s, the shortest %.3g s", c->sweep->sweep,
		op_before(c), text_or(c->op, ""), count, c->points_count,
		units_format_ns(least, (double)c->sweep->min_window), shortest);
	findings_figure(finding, "points", count);
	findings_figure(finding, "shortest_s", shortest);
	return count;
}

/* Points are alike when they moved as much, or went on for as long. */
static bool check_volume(const struct curve *c)
{
	double least = INFINITY, most = 0, shortest = INFINITY, longest = 0;

	for (uint32_t i = 0; i < c->points_count; i++) {
		const struct sweep_point *p = c->points[i];
		if (isnan(p->bytes) || isnan(p->seconds))
			return true;
		least = fmin(least, p->bytes);
		most = fmax(most, p->bytes);
		shortest = fmin(shortest, p->seconds);
		longest = fmax(longest, p->seconds);
	}
	if (most <= VOLUME_TOLERANCE * least || longest <= VOLUME_TOLERANCE * shortest)
		return true;
	struct result_finding *finding = findings_add(
		c->result, "UNEQUAL_VOLUME", NULL, NULL, NULL, NULL, NULL,
		NAME ": its points moved from %.6g to %.6g bytes in %.3g to %.3g s",
		c->sweep->sweep, op_before(c), text_or(c->op, ""), least, most, shortest, longest);
	findings_figure(finding, "least_bytes", least);
	findings_figure(finding, "most_bytes", most);
	return false;
}

static void check_values(const struct curve *c)
{
	for (uint32_t i = 0; i < c->points_count; i++) {
		const struct sweep_point *p = c->points[i];
		double by_operations = p->operations_per_s * (double)c->sweep->block_size;
		char one[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];
		if (!values_disagree(p->bytes_per_s, by_operations))
			continue;
		struct result_finding *finding = findings_add(
			c->result, "VALUES_DISAGREE", NULL, NULL, NULL, NULL, NULL,
			NAME ", setting %g: the rate, %s, and operations times block_size, %s, are "
			     "%.1f %% apart",
			c->sweep->sweep, op_before(c), text_or(c->op, ""), p->setting,
			units_format_rate(one, p->bytes_per_s),
			units_format_rate(other, by_operations),
			100 * fabs(by_operations / p->bytes_per_s - 1));
		findings_figure(finding, "setting", p->setting);
		findings_figure(finding, "first_bytes_per_s", p->bytes_per_s);
		findings_figure(finding, "second_bytes_per_s", by_operations);
	}
}

static bool is_sound(const struct curve *c)
{
	uint32_t too_short = check_length(c);
	bool equal = check_volume(c);

	if (!too_short && equal)
		return true;
	findings_add(c->result, "SWEEP_INVALID", NULL, NULL, NULL, NULL, NULL,
		     NAME
		     ": its points cannot be held against each other, so no knee is looked for",
		     c->sweep->sweep, op_before(c), text_or(c->op, ""));
	return false;
}

/* ---- a tunable ---- */

/* Kneedle's bend of the curve over powers of two: a hint beside the knee, and none for settings
 * that have no logarithm. */
static void add_bend(struct result_finding *finding, const struct curve *c)
{
	double *x = mem_new(c->settings_count, sizeof(*x));
	double *y = mem_new(c->settings_count, sizeof(*y));

	for (uint32_t i = 0; i < c->settings_count; i++) {
		x[i] = log2(c->settings[i].setting);
		y[i] = c->settings[i].median;
	}
	uint32_t at = c->settings[0].setting > 0 && c->settings_count >= KNEE_FEW_SETTINGS
			      ? knee_kneedle(x, y, c->settings_count, NULL)
			      : UINT32_MAX;
	if (at != UINT32_MAX)
		findings_figure(finding, "bend", c->settings[at].setting);
	free(x);
	free(y);
}

static void report_knee(const struct curve *c, const struct knee *knee)
{
	const struct knee_setting *at = &c->settings[knee->at], *best = &c->settings[knee->best];
	char is[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE], first[UNITS_TEXT_SIZE], start[128] = "";

	if (knee->alike > 1 && knee->alike <= knee->at)
		snprintf(start, sizeof(start), "; no effect below %g",
			 c->settings[knee->alike].setting);
	struct result_finding *finding = findings_add(
		c->result, "KNEE", NULL, NULL, NULL, NULL, NULL,
		NAME ": from %g on more does not help: %s there, %.1f %% of the best, %s at %g; %s "
		     "at %g%s%s",
		c->sweep->sweep, op_before(c), text_or(c->op, ""), at->setting,
		format(is, c, at->median), 100 * knee->share, format(most, c, best->median),
		best->setting, format(first, c, c->settings[0].median), c->settings[0].setting,
		start,
		knee->is_proven ? "" : "; not proven, for want of four repeats of each setting");
	findings_figure(finding, "knee", at->setting);
	findings_figure(finding, "knee_rate", at->median);
	findings_figure(finding, "best", best->setting);
	findings_figure(finding, "best_rate", best->median);
	findings_figure(finding, "share", knee->share);
	findings_figure(finding, "gain", at->median / c->settings[0].median);
	findings_figure(finding, "proven", knee->is_proven);
	add_bend(finding, c);
}

static void check_tunable(const struct curve *c)
{
	struct knee knee =
		knee_find(c->settings, c->settings_count, c->sweep->knee_percent / 100.0);

	if (c->settings_count < KNEE_FEW_SETTINGS) {
		struct result_finding *finding = findings_add(
			c->result, "FEW_POINTS", NULL, NULL, NULL, NULL, NULL,
			NAME ": %u settings; what lies between them is a guess", c->sweep->sweep,
			op_before(c), text_or(c->op, ""), c->settings_count);
		findings_figure(finding, "settings", c->settings_count);
	}
	if (knee.found) {
		report_knee(c, &knee);
	} else if (knee.is_flat) {
		struct result_finding *finding = findings_add(
			c->result, "FLAT_SWEEP", NULL, NULL, NULL, NULL, NULL,
			NAME ": no setting matters: all lie within %.1f %% of the best",
			c->sweep->sweep, op_before(c), text_or(c->op, ""), 100 * knee.spread);
		findings_figure(finding, "spread", knee.spread);
	}
}

/* ---- members ---- */

/* The largest number whose members do as much each as when they were fewest. */
static double knee_of_members(const struct curve *c)
{
	double knee = c->settings[0].setting, best = 0;

	for (uint32_t i = 0; i < c->settings_count; i++)
		best = fmax(best, c->settings[i].median / c->settings[i].setting);
	for (uint32_t i = 0; i < c->settings_count; i++)
		if (c->settings[i].median / c->settings[i].setting >= (1 - MEMBER_LOSS) * best)
			knee = c->settings[i].setting;
	return knee;
}

static void add_efficiencies(struct result_finding *finding, const struct curve *c, double alone)
{
	for (uint32_t i = 0; i < c->settings_count; i++) {
		char name[64];
		snprintf(name, sizeof(name), "efficiency_of_%g", c->settings[i].setting);
		findings_figure(finding, name,
				c->settings[i].median / (c->settings[i].setting * alone));
	}
}

/* Whether the law of scaling describes the curve, or a hard ceiling does better. */
static void add_scaling(struct result_finding *finding, const struct curve *c)
{
	double *n = mem_new(c->settings_count, sizeof(*n));
	double *x = mem_new(c->settings_count, sizeof(*x)), most;
	struct scaling law;

	for (uint32_t i = 0; i < c->settings_count; i++) {
		n[i] = c->settings[i].setting;
		x[i] = c->settings[i].median;
	}
	if (n[0] == 1 && scaling_fit(n, x, c->settings_count, &law)) {
		if (scaling_ceiling_residual(n, x, c->settings_count, &most) < law.residual) {
			findings_figure(finding, "ceiling", most);
		} else {
			findings_figure(finding, "contention", law.sigma);
			findings_figure(finding, "coherency", law.kappa);
			if (law.peak <= 2 * n[c->settings_count - 1]) /* no further guess */
				findings_figure(finding, "peak_members", law.peak);
		}
	}
	free(n);
	free(x);
}

static void check_members(const struct curve *c)
{
	const struct knee_setting *fewest = &c->settings[0];
	const struct knee_setting *most = &c->settings[c->settings_count - 1];
	char together[UNITS_TEXT_SIZE], each[UNITS_TEXT_SIZE], at_limit[96] = "";

	if (c->settings_count < 2 || !(fewest->setting > 0) || !(fewest->median > 0))
		return;
	double alone = fewest->median / fewest->setting;
	double share = most->median / (most->setting * alone);
	const char *level = layers_level(share);
	if (!level)
		return;
	if (most->median >= AT_LIMIT * (double)c->sweep->limit_rate && c->sweep->limit_rate)
		snprintf(at_limit, sizeof(at_limit),
			 "; that is the ceiling of what they share, and no fault");
	struct result_finding *finding = findings_add(
		c->result, c->sweep->one_generator ? "GENERATOR_MAY_LIMIT" : "SHARED_LIMIT", level,
		NULL, NULL, NULL, NULL,
		NAME ": %g together move %s, %.0f %% of %g times %s, what each does with %g at "
		     "work%s%s",
		c->sweep->sweep, op_before(c), text_or(c->op, ""), most->setting,
		format(together, c, most->median), 100 * share, most->setting,
		format(each, c, alone), fewest->setting, at_limit,
		c->sweep->one_generator ? "; the same workers served all of them in turn, and may "
					  "be the limit themselves"
					: "");
	findings_figure(finding, "share", share);
	findings_figure(finding, "knee", knee_of_members(c));
	findings_figure(finding, "at_limit", at_limit[0] != '\0');
	add_scaling(finding, c);
	add_efficiencies(finding, c, alone);
}

/* ---- nodes ---- */

static void check_numa(const struct curve *c)
{
	struct knee knee = knee_find(c->settings, c->settings_count, MEMBER_LOSS);
	const struct knee_setting *best = &c->settings[knee.best];
	uint32_t worst = 0;
	char most[UNITS_TEXT_SIZE], least[UNITS_TEXT_SIZE];

	for (uint32_t i = 1; i < c->settings_count; i++)
		if (c->settings[i].median < c->settings[worst].median)
			worst = i;
	double share = c->settings[worst].median / best->median;
	if (c->settings_count < 2 || !(share < NUMA_LEAST))
		return;
	struct result_finding *finding = findings_add(
		c->result, "NUMA_EFFECT", NULL, NULL, NULL, NULL, NULL,
		NAME ": bound to node %g it moves %s, to node %g %s: %.2f times as much",
		c->sweep->sweep, op_before(c), text_or(c->op, ""), best->setting,
		format(most, c, best->median), c->settings[worst].setting,
		format(least, c, c->settings[worst].median), 1 / share);
	findings_figure(finding, "factor", 1 / share);
	findings_figure(finding, "best_node", best->setting);
	if (!c->sweep->has_numa_node || best->setting == c->sweep->numa_node)
		return;
	finding = findings_add(c->result, "NUMA_NODE_CONTRADICTED", NULL, NULL, NULL, NULL, NULL,
			       NAME ": the system names node %u, and node %g is the faster one",
			       c->sweep->sweep, op_before(c), text_or(c->op, ""),
			       c->sweep->numa_node, best->setting);
	findings_figure(finding, "reported_node", c->sweep->numa_node);
	findings_figure(finding, "best_node", best->setting);
}

/* ---- all ---- */

static void check_curve(struct result *result, const struct fact_sweep *sweep, const char *op)
{
	struct curve c = curve_of(result, sweep, op);

	check_values(&c);
	if (is_sound(&c)) {
		if (sweep->kind == FACT_SWEEP_TUNABLE)
			check_tunable(&c);
		else if (sweep->kind == FACT_SWEEP_MEMBERS)
			check_members(&c);
		else
			check_numa(&c);
	}
	curve_release(&c);
}

static bool is_first_of_op(const struct fact_sweep *sweep, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (is_of(&sweep->points[i], sweep->points[index].op))
			return false;
	return true;
}

void sweep_rules_check(struct result *result)
{
	const struct facts *facts = result->facts;

	for (uint32_t s = 0; facts && s < facts->sweeps_count; s++)
		for (uint32_t i = 0; i < facts->sweeps[s].points_count; i++)
			if (is_first_of_op(&facts->sweeps[s], i))
				check_curve(result, &facts->sweeps[s],
					    facts->sweeps[s].points[i].op);
}
