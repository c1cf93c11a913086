#include "controller/clock_fit.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_cut.h"
#include "controller/clock_view.h"
#include "controller/clock_window.h"

/* How far outside the samples anything is said. */
#define OUTSIDE_NS (2 * NS_PER_S)
/* Each leaves 500 ppm of the error before. */
#define INVERT_STEPS 5

/* One side of a gap each; elsewhere the first alone. */
struct views {
	struct clock_view before, after;
};

/* The first cut that is not over at t; cuts_count when all are. */
static uint32_t cut_at(const struct clock_fit *fit, uint64_t t)
{
	uint32_t low = 0, high = fit->cuts_count;

	while (low < high) {
		uint32_t half = low + (high - low) / 2;
		if (fit->cuts[half].after_ns <= t)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

static bool is_near(const struct clock_fit *fit, uint64_t t)
{
	if (!fit->count)
		return false;
	uint64_t first = fit->samples[0].t1, last = fit->samples[fit->count - 1].t4;
	return t >= first - (first < OUTSIDE_NS ? first : OUTSIDE_NS) &&
	       (t <= last || t - last <= OUTSIDE_NS);
}

static struct clock_estimate views_at(struct views *views, const struct clock_fit *fit, uint64_t t)
{
	if (!is_near(fit, t))
		return (struct clock_estimate){0};
	uint32_t cut = cut_at(fit, t);
	const struct clock_segment *segment = &fit->segments[cut];
	struct clock_estimate e = clock_view_at(&views->before, fit->blocks, segment, t);
	if (cut == fit->cuts_count || t <= fit->cuts[cut].before_ns)
		return e;
	/* It jumps again before it is known how it stood in between. */
	if (cut + 1 < fit->cuts_count && t > fit->cuts[cut + 1].before_ns)
		return (struct clock_estimate){.disrupted = true};
	e = clock_view_join(e, clock_view_at(&views->after, fit->blocks, segment + 1, t));
	e.disrupted = true;
	return e;
}

/* How far apart the lines before and after are in the middle of the gap. */
static int64_t step(const struct clock_fit *fit, uint32_t cut, struct views *views)
{
	uint64_t t =
		fit->cuts[cut].before_ns + (fit->cuts[cut].after_ns - fit->cuts[cut].before_ns) / 2;
	struct clock_estimate before =
		clock_view_at(&views->before, fit->blocks, &fit->segments[cut], t);
	struct clock_estimate after =
		clock_view_at(&views->after, fit->blocks, &fit->segments[cut + 1], t);

	if (!before.known || !after.known ||
	    (before.lo_ns <= after.hi_ns && after.lo_ns <= before.hi_ns))
		return 0;
	return (int64_t)((uint64_t)after.offset_ns - (uint64_t)before.offset_ns);
}

void clock_fit_init(struct clock_fit *fit, const struct clock_sample *samples, uint32_t count,
		    const struct clock_cut *announced, uint32_t announced_count)
{
	struct clock_segments segments;
	struct views views = {0};

	*fit = (struct clock_fit){.samples = samples, .count = count};
	fit->blocks = clock_blocks_new(samples, count);
	clock_cut(&segments, fit->blocks, samples, count, announced, announced_count);
	fit->segments = segments.items;
	fit->unfit = segments.unfit;
	fit->cuts_count = segments.count - 1;
	fit->cuts = mem_new(fit->cuts_count, sizeof(*fit->cuts));
	for (uint32_t i = 0; i < fit->cuts_count; i++) {
		fit->cuts[i].before_ns = fit->segments[i].end_ns;
		fit->cuts[i].after_ns = fit->segments[i + 1].begin_ns;
		fit->cuts[i].step_ns = step(fit, i, &views);
	}
	clock_view_release(&views.before);
	clock_view_release(&views.after);
}

void clock_fit_release(struct clock_fit *fit)
{
	free(fit->cuts);
	free(fit->segments);
	clock_blocks_free(fit->blocks);
	*fit = (struct clock_fit){0};
}

void clock_fit_sweep(const struct clock_fit *fit, const uint64_t *instants, uint32_t count,
		     struct clock_estimate *estimates)
{
	struct views views = {0};

	for (uint32_t i = 0; i < count; i++)
		estimates[i] = views_at(&views, fit, instants[i]);
	clock_view_release(&views.before);
	clock_view_release(&views.after);
}

struct clock_estimate clock_fit_at(const struct clock_fit *fit, uint64_t t)
{
	struct clock_estimate e;

	clock_fit_sweep(fit, &t, 1, &e);
	return e;
}

/* The samples that had come back by `now`, CLOCK_FIT_WINDOW_NS old at most. */
static const struct clock_sample *latest(const struct clock_sample *samples, uint32_t *count,
					 uint64_t now)
{
	uint32_t first = *count;

	while (*count && samples[*count - 1].t4 > now)
		--*count;
	first = *count;
	while (first && now - samples[first - 1].t1 <= CLOCK_FIT_WINDOW_NS)
		first--;
	*count -= first;
	return first ? samples + first : samples; /* without any, NULL may have been given */
}

struct clock_estimate clock_fit_ahead(const struct clock_sample *samples, uint32_t count,
				      uint64_t now, uint64_t t)
{
	struct clock_estimate e = {0};
	struct clock_window window = {0};
	struct clock_segments segments;
	struct clock_lines lines;

	samples = latest(samples, &count, now);
	struct clock_blocks *blocks = clock_blocks_new(samples, count);
	clock_cut(&segments, blocks, samples, count, NULL, 0);
	clock_window_set(&window, blocks, segments.items[segments.count - 1].halves, now,
			 (struct clock_reach){-CLOCK_WINDOW_BLOCKS - 1, 0});
	if (clock_window_lines(&window, t, &lines))
		e = clock_view_estimate(&lines, window.origin_value);
	e.disrupted = !e.known && segments.count > 1;
	clock_window_release(&window);
	free(segments.items);
	clock_blocks_free(blocks);
	return e;
}

static uint64_t clamp_to_samples(const struct clock_fit *fit, uint64_t t)
{
	uint64_t first = fit->samples[0].t1, last = fit->samples[fit->count - 1].t4;

	return t < first ? first : t > last ? last : t;
}

bool clock_fit_invert(const struct clock_fit *fit, uint64_t agent_ns, uint64_t near,
		      uint64_t *controller_ns, uint64_t *bound_ns, bool *disrupted)
{
	struct clock_estimate e;

	if (!fit->count)
		return false;
	uint64_t t = clamp_to_samples(fit, near), before;
	for (int i = 0; i < INVERT_STEPS; i++) {
		e = clock_fit_at(fit, t);
		if (!e.known)
			return false;
		before = t;
		t = agent_ns - (uint64_t)e.offset_ns;
	}
	/* theta itself is known at `before` and moves 500 ppm from there at most. */
	uint64_t bound = clock_estimate_bound(&e), moved = t > before ? t - before : before - t;
	*controller_ns = t;
	*bound_ns = bound + (bound + moved) / 1000 + 1;
	*disrupted = e.disrupted;
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The agent's holding time is by its own clock, which may be 500 ppm fast. */
static uint64_t round_trip(const struct clock_sample *s)
{
	uint64_t away = s->t4 - s->t1, held = s->t3 - s->t2;

	held -= held / (1000000000 / CLOCK_FIT_DRIFT_PPB);
	return away > held ? away - held : 0;
}

bool clock_fit_round_trips(const struct clock_sample *samples, uint32_t count, uint64_t *min,
			   uint64_t *median, uint64_t *p99)
{
	if (!count)
		return false;
	uint64_t *trips = mem_new(count, sizeof(*trips));
	for (uint32_t i = 0; i < count; i++)
		trips[i] = round_trip(&samples[i]);
	qsort(trips, count, sizeof(*trips), compare_numbers);
	*min = trips[0];
	*median = trips[(count - 1) / 2];
	*p99 = trips[(uint64_t)(count - 1) * 99 / 100];
	free(trips);
	return true;
}
