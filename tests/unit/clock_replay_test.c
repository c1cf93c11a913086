/* Recorded exchanges whose truth is known: what is stated must be true. Prints what it was worth,
 * so that a person can compare it with the measurements that the rules come from. */
#include "tests/unit/clock_stamps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define EVERY_NS        NS_PER_MS
#define EVERY_STEP_NS   (10 * NS_PER_MS) /* there are many steps to try */
#define EVERY_CAUSAL_NS (50 * NS_PER_MS)

static const struct recording {
	const char *name;
	bool kernel;
} recordings[] = {
	{"udp-idle", true},  {"udp-io", true},        {"udp-cpu", true},
	{"udp-idle", false}, {"udp-io", false},       {"udp-cpu", false},
	{"zmq-io", false},   {"zmq-burst-io", false}, {"zmq-oneway-1ms", false},
};
#define RECORDINGS (sizeof(recordings) / sizeof(recordings[0]))

/* Instants: of all of them, those of which nothing was said, and those of which a lie was. */
struct score {
	uint64_t all, withheld, disrupted, wrong;
	uint64_t *errors, *bounds;
	size_t kept, room;
};

static void judge(struct score *score, const struct stamps *stamps, uint64_t t,
		  const struct clock_estimate *e)
{
	int64_t truth = stamps_truth(stamps, t);

	score->all++;
	score->disrupted += e->disrupted;
	if (!e->known) {
		score->withheld++;
		return;
	}
	score->wrong += truth < e->lo_ns || truth > e->hi_ns;
	if (score->kept == score->room) {
		score->room = score->room ? 2 * score->room : 1024;
		score->errors = mem_resize(score->errors, score->room, sizeof(uint64_t));
		score->bounds = mem_resize(score->bounds, score->room, sizeof(uint64_t));
	}
	score->errors[score->kept] = (uint64_t)llabs(truth - e->offset_ns);
	score->bounds[score->kept++] = clock_estimate_bound(e);
}

static void add(struct score *into, const struct score *from)
{
	into->all += from->all;
	into->withheld += from->withheld;
	into->disrupted += from->disrupted;
	into->wrong += from->wrong;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double us(uint64_t *values, size_t count, unsigned percent)
{
	qsort(values, count, sizeof(*values), compare);
	return count ? (double)values[(count - 1) * percent / 100] / 1e3 : 0;
}

static void print(const char *what, const struct recording *of, struct score *score)
{
	print_message("%-24s %-14s %-6s %7" PRIu64 " instants, error %.2f/%.2f us, bound %.2f/%.2f"
		      " us (p50/p99), %" PRIu64 " withheld, %" PRIu64 " in gaps, %" PRIu64
		      " wrong\n",
		      what, of->name, of->kernel ? "kernel" : "user", score->all,
		      us(score->errors, score->kept, 50), us(score->errors, score->kept, 99),
		      us(score->bounds, score->kept, 50), us(score->bounds, score->kept, 99),
		      score->withheld, score->disrupted, score->wrong);
	free(score->errors);
	free(score->bounds);
	score->errors = score->bounds = NULL;
	score->kept = 0;
}

/* A copy of what was recorded, with something done to it. */
static struct stamps read_stamps(const struct recording *of, uint32_t agent,
				 const struct injection *injection)
{
	static struct stamps recorded[RECORDINGS][STAMPS_AGENTS];
	struct stamps *from = &recorded[of - recordings][agent];

	if (!from->samples)
		*from = stamps_read(of->name, agent, of->kernel);
	assert_true(from->count > 300);
	struct stamps stamps = *from;
	stamps.samples = mem_new(stamps.count, sizeof(*stamps.samples));
	memcpy(stamps.samples, from->samples, stamps.count * sizeof(*stamps.samples));
	stamps_inject(&stamps, injection);
	return stamps;
}

/* With all samples, from the first to the last. */
static void judge_whole(struct score *score, const struct stamps *stamps, uint64_t every_ns,
			const struct clock_cut *announced, uint32_t announced_count)
{
	uint64_t first = stamps->samples[0].t1, last = stamps->samples[stamps->count - 1].t4;
	uint32_t count = (uint32_t)((last - first) / every_ns) + 1;
	uint64_t *instants = mem_new(count, sizeof(*instants));
	struct clock_estimate *estimates = mem_new(count, sizeof(*estimates));
	struct clock_fit fit;

	for (uint32_t i = 0; i < count; i++)
		instants[i] = first + i * every_ns;
	clock_fit_init(&fit, stamps->samples, stamps->count, announced, announced_count);
	clock_fit_sweep(&fit, instants, count, estimates);
	for (uint32_t i = 0; i < count; i++)
		judge(score, stamps, instants[i], &estimates[i]);
	clock_fit_release(&fit);
	free(instants);
	free(estimates);
}

/* At each of many instants with what had come back by then; after `announced`, which the agent
 * tells of at once, with what was sent since. */
static void judge_causal(struct score *score, const struct stamps *stamps, uint64_t announced)
{
	uint64_t last = stamps->samples[stamps->count - 1].t4;
	uint32_t from = 0;

	for (uint64_t t = stamps->samples[0].t4; t <= last; t += EVERY_CAUSAL_NS) {
		while (t >= announced && from < stamps->count &&
		       stamps->samples[from].t1 < announced)
			from++;
		struct clock_estimate e =
			clock_fit_ahead(stamps->samples + from, stamps->count - from, t, t);
		judge(score, stamps, t, &e);
	}
}

static void judge_recording(const char *what, const struct recording *of,
			    const struct injection *injection, bool announced, struct score *total)
{
	struct score whole = {0}, causal = {0};

	for (uint32_t agent = 0; agent < STAMPS_AGENTS; agent++) {
		struct stamps stamps = read_stamps(of, agent, injection);
		struct clock_cut cut = {stamps.at_ns - 1, stamps.at_ns, 0};
		judge_whole(&whole, &stamps, EVERY_NS, &cut, announced ? 1 : 0);
		judge_causal(&causal, &stamps, announced ? stamps.at_ns : UINT64_MAX);
		free(stamps.samples);
	}
	add(total, &whole);
	add(total, &causal);
	char *label = mem_format("%s, causal", what);
	print(what, of, &whole);
	print(label, of, &causal);
	free(label);
	assert_int_equal(whole.wrong, 0);
	assert_int_equal(causal.wrong, 0);
}

static void the_truth_is_inside_at_every_instant(void **state)
{
	static const struct {
		const char *what;
		struct injection injection;
	} rows[] = {
		{"as recorded", {0}},
		{"+200 ppm", {.drift_ppb = 200000}},
		{"-200 ppm", {.drift_ppb = -200000}},
		{"1 ppm in 60 s", {.at_s = 5, .wobble_ppb = 1000}},
		{"1 ms late one way", {.at_s = 10, .late_ns = NS_PER_MS}},
	};
	struct score total = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t k = 0; k < RECORDINGS; k++)
			judge_recording(rows[i].what, &recordings[k], &rows[i].injection, false,
					&total);
	print_message("%" PRIu64 " instants, %" PRIu64 " withheld, %" PRIu64 " wrong\n", total.all,
		      total.withheld, total.wrong);
	assert_true(total.all - total.withheld >= 100000);
}

static void an_announced_disruption_costs_no_truth(void **state)
{
	static const struct {
		const char *what;
		struct injection injection;
	} rows[] = {
		{"+50 ppm, told", {.at_s = 10.013, .drift_ppb = 50000}},
		{"+10 ms, told", {.at_s = 10.013, .step_ns = 10000000}},
		{"-1 ms, told", {.at_s = 7.213, .step_ns = -1000000}},
		{"+20 us, told", {.at_s = 12.413, .step_ns = 20000}},
	};
	struct score total = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t k = 0; k < RECORDINGS; k++)
			judge_recording(rows[i].what, &recordings[k], &rows[i].injection, true,
					&total);
	assert_true(total.all - total.withheld >= 100000);
}

/* 50 ppm move a clock by 500 us in 10 s: with bounds of that size it proves nothing. */
static void a_change_of_drift_is_found_where_it_exceeds_the_bounds(void **state)
{
	const struct injection injection = {.at_s = 10.013, .drift_ppb = 50000};

	(void)state;
	for (size_t k = 0; k + 1 < RECORDINGS; k++) {
		struct score score = {0};
		for (uint32_t agent = 0; agent < STAMPS_AGENTS; agent++) {
			struct stamps stamps = read_stamps(&recordings[k], agent, &injection);
			judge_whole(&score, &stamps, EVERY_NS, NULL, 0);
			free(stamps.samples);
		}
		print("+50 ppm, not told", &recordings[k], &score);
		assert_int_equal(score.wrong, 0);
	}
}

/* What would have been stated at the instant of the step, had there been none. */
static uint64_t bound_there(const struct recording *of, uint32_t agent,
			    const struct injection *injection)
{
	struct injection none = {.at_s = injection->at_s};
	struct stamps stamps = read_stamps(of, agent, &none);
	struct clock_fit fit;

	clock_fit_init(&fit, stamps.samples, stamps.count, NULL, 0);
	struct clock_estimate e = clock_fit_at(&fit, stamps.at_ns);
	clock_fit_release(&fit);
	free(stamps.samples);
	assert_true(e.known);
	return clock_estimate_bound(&e);
}

/* The step is added to the score of those that are at least four bounds, or of the smaller ones. */
static void judge_step(const struct recording *of, const struct injection *injection,
		       struct score *four, struct score *less)
{
	for (uint32_t agent = 0; agent < STAMPS_AGENTS; agent++) {
		struct stamps stamps = read_stamps(of, agent, injection);
		uint64_t bound = bound_there(of, agent, injection);
		judge_whole((uint64_t)llabs(injection->step_ns) >= 4 * bound ? four : less, &stamps,
			    EVERY_STEP_NS, NULL, 0);
		free(stamps.samples);
	}
}

static void a_step_of_four_bounds_is_found(void **state)
{
	static const int64_t steps[] = {10000000, 1000000, 100000, 50000, 20000, 5000, 2000};
	static const double at_s[] = {2.713, 10.013, 16.377};
	struct score all_four = {0}, all_less = {0};

	(void)state;
	for (size_t k = 0; k < RECORDINGS; k++) {
		struct score four = {0}, less = {0};
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			for (size_t j = 0; j < sizeof(at_s) / sizeof(at_s[0]); j++)
				for (int sign = -1; sign <= 1; sign += 2) {
					struct injection injection = {.at_s = at_s[j],
								      .step_ns = sign * steps[i]};
					judge_step(&recordings[k], &injection, &four, &less);
				}
		add(&all_four, &four);
		add(&all_less, &less);
		print("steps of >= 4 bounds", &recordings[k], &four);
		print("smaller steps", &recordings[k], &less);
	}
	print_message("steps of at least four bounds: %" PRIu64 " instants, %" PRIu64
		      " withheld, %" PRIu64 " wrong (smaller ones: %" PRIu64 " of %" PRIu64 ")\n",
		      all_four.all, all_four.withheld, all_four.wrong, all_less.wrong,
		      all_less.all);
	assert_true(all_four.all - all_four.withheld >= 100000);
	assert_true(all_four.wrong * 1000 <= all_four.all - all_four.withheld);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_is_inside_at_every_instant),
		cmocka_unit_test(an_announced_disruption_costs_no_truth),
		cmocka_unit_test(a_change_of_drift_is_found_where_it_exceeds_the_bounds),
		cmocka_unit_test(a_step_of_four_bounds_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
