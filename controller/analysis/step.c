#include "controller/analysis/step.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"

#define ROUNDING 1e-9

/* sums[i], squares[i] and noise[i] (squares of differences from one sample to the next) are over
 * the first i samples, less their mean so that squares keep their digits. */
struct sums {
	double *sums, *squares, *noise;
	double mean;
};

static struct sums sums_new(const double *samples, uint32_t count)
{
	struct sums s = {.sums = mem_new((size_t)count + 1, sizeof(double)),
			 .squares = mem_new((size_t)count + 1, sizeof(double)),
			 .noise = mem_new((size_t)count + 1, sizeof(double))};

	for (uint32_t i = 0; i < count; i++)
		s.mean += samples[i] / count;
	for (uint32_t i = 0; i < count; i++) {
		double off = samples[i] - s.mean;
		s.sums[i + 1] = s.sums[i] + off;
		double change = i ? samples[i] - samples[i - 1] : 0;
		s.squares[i + 1] = s.squares[i] + off * off;
		s.noise[i + 1] = s.noise[i] + change * change;
	}
	return s;
}

/* A level of nothing is not a little below it by rounding. */
static double level(const struct sums *s, uint32_t from, uint32_t to)
{
	double level = s->mean + (s->sums[to] - s->sums[from]) / (to - from);

	return fabs(level) > ROUNDING * fabs(s->mean) ? level : 0;
}

/* Sum of squares about the level of [from, to). */
static double residue(const struct sums *s, uint32_t from, uint32_t to)
{
	double sum = s->sums[to] - s->sums[from];

	return s->squares[to] - s->squares[from] - sum * sum / (to - from);
}

double step_size(double before, double after)
{
	double larger = fmax(before, after);

	return larger > 0 ? fabs(after - before) / larger : 0;
}

static bool is_clear(const struct sums *s, uint32_t from, uint32_t at, uint32_t to)
{
	double apart = fabs(level(s, at, to) - level(s, from, at));
	double variance = (s->noise[to] - s->noise[from + 1]) / (2.0 * (to - from - 1));
	double error = sqrt(variance * (1.0 / (at - from) + 1.0 / (to - at)));
	double near = step_size(level(s, at - STEP_LEAST_SAMPLES, at),
				level(s, at, at + STEP_LEAST_SAMPLES));

	return apart >= STEP_ERRORS * error && near >= STEP_SHARP;
}

/* 0: none that counts. */
static uint32_t best_split(const struct sums *s, uint32_t from, uint32_t to)
{
	double least = INFINITY;
	uint32_t best = 0;

	if (to - from < 2 * STEP_LEAST_SAMPLES)
		return 0;
	for (uint32_t at = from + STEP_LEAST_SAMPLES; at + STEP_LEAST_SAMPLES <= to; at++) {
		double left = residue(s, from, at) + residue(s, at, to);
		if (left < least) {
			least = left;
			best = at;
		}
	}
	bool counts = step_size(level(s, from, best), level(s, best, to)) >= STEP_LEAST &&
		      is_clear(s, from, best, to);
	return counts ? best : 0;
}

/* A split is counted before its parts are looked at, which bounds the work. */
static void split(const struct sums *s, uint32_t from, uint32_t to, struct step *steps,
		  uint32_t *count)
{
	uint32_t at = *count < STEPS_MOST ? best_split(s, from, to) : 0;

	if (!at)
		return;
	steps[(*count)++].at = at;
	split(s, from, at, steps, count);
	split(s, at, to, steps, count);
}

static int compare_at(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Whether enough of the samples lie on the side of their own level: a few that are far off make a
 * level of ten that is none of them's. */
static bool is_held(const double *samples, uint32_t from, uint32_t to, double own, double other)
{
	uint32_t near = 0;

	for (uint32_t i = from; i < to; i++)
		near += fabs(samples[i] - own) < fabs(samples[i] - other);
	return near >= STEP_LEAST_SAMPLES;
}

uint32_t step_find(const double *samples, uint32_t count, struct step steps[STEPS_MOST])
{
	uint32_t found = 0, kept = 0;

	if (count < 2 * STEP_LEAST_SAMPLES)
		return 0;
	struct sums s = sums_new(samples, count);
	split(&s, 0, count, steps, &found);
	qsort(steps, found, sizeof(*steps), compare_at);
	/* Levels again, now that the neighbours are known: a step that is none beside them goes. */
	for (uint32_t i = 0; i < found; i++) {
		uint32_t from = kept ? steps[kept - 1].at : 0;
		uint32_t to = i + 1 < found ? steps[i + 1].at : count;
		struct step step = {.at = steps[i].at,
				    .before = level(&s, from, steps[i].at),
				    .after = level(&s, steps[i].at, to)};
		if (step_size(step.before, step.after) >= STEP_LEAST &&
		    is_held(samples, from, step.at, step.before, step.after) &&
		    is_held(samples, step.at, to, step.after, step.before))
			steps[kept++] = step;
	}
	free(s.sums);
	free(s.squares);
	free(s.noise);
	return kept;
}
