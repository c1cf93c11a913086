/* clock_fit_bench - CPU of fitting one host's hour-long run, and of one answer while it runs.
 *
 * The hour is recorded exchanges (tests/stamps) one after the other, 20 a second: 72,000; asked are
 * the borders of its 36,000 buckets of 100 ms. Median of five rounds and the worst. */
#include <time.h>

#include "tests/unit/clock_stamps.h"

#define EXCHANGES 72000
#define BORDERS   36000
#define ROUNDS    5
#define ANSWERS   200
#define WINDOW    400 /* exchanges of 20 s */

static double cpu_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, double *ms)
{
	qsort(ms, ROUNDS, sizeof(*ms), compare);
	printf("  %-36s %8.3f ms   (worst %.3f)\n", what, ms[ROUNDS / 2], ms[ROUNDS - 1]);
}

/* The agent's clock goes on as it went, so that its stamps are not simply moved. */
static struct clock_sample *hour(const struct stamps *stamps)
{
	struct clock_sample *samples = mem_new(EXCHANGES, sizeof(*samples));
	uint64_t round = stamps->samples[stamps->count - 1].t1 - stamps->samples[0].t1;

	for (uint32_t i = 0; i < EXCHANGES; i++) {
		struct clock_sample *s = &samples[i];
		uint64_t later = i / stamps->count * (round + 50 * NS_PER_MS);
		*s = stamps->samples[i % stamps->count];
		s->t2 = stamps_recorded(stamps->agent,
					stamps_instant(stamps->agent, s->t2) + later);
		s->t3 = stamps_recorded(stamps->agent,
					stamps_instant(stamps->agent, s->t3) + later);
		s->t1 += later;
		s->t4 += later;
	}
	return samples;
}

static void measure_fit(const struct clock_sample *samples, double *init_ms, double *sweep_ms)
{
	uint64_t *instants = mem_new(BORDERS, sizeof(*instants));
	struct clock_estimate *estimates = mem_new(BORDERS, sizeof(*estimates));
	struct clock_fit fit;

	for (uint32_t i = 0; i < BORDERS; i++)
		instants[i] = samples[0].t1 + i * 100 * NS_PER_MS;
	double begun = cpu_ms();
	clock_fit_init(&fit, samples, EXCHANGES, NULL, 0);
	double found = cpu_ms();
	clock_fit_sweep(&fit, instants, BORDERS, estimates);
	*sweep_ms = cpu_ms() - found;
	*init_ms = found - begun;
	clock_fit_release(&fit);
	free(instants);
	free(estimates);
}

/* What is fitted after a phase (collect_end): 60 s of borders, from the two windows before it on.
 */
static double measure_phase(const struct clock_sample *samples)
{
	uint32_t tail = (uint32_t)((60 * NS_PER_S + 2 * CLOCK_FIT_WINDOW_NS) / NS_PER_S) * 20;
	const struct clock_sample *from = samples + EXCHANGES - tail;
	uint64_t instants[600];
	struct clock_estimate estimates[600];
	struct clock_fit fit;
	double begun = cpu_ms();

	for (uint32_t i = 0; i < 600; i++)
		instants[i] = from[0].t1 + 2 * CLOCK_FIT_WINDOW_NS + i * 100 * NS_PER_MS;
	clock_fit_init(&fit, from, tail, NULL, 0);
	clock_fit_sweep(&fit, instants, 600, estimates);
	clock_fit_release(&fit);
	return cpu_ms() - begun;
}

static double measure_ahead(const struct clock_sample *samples)
{
	uint64_t now = samples[WINDOW - 1].t4;
	double begun = cpu_ms();

	for (uint32_t i = 0; i < ANSWERS; i++)
		clock_fit_ahead(samples, WINDOW, now, now + i * NS_PER_MS);
	return (cpu_ms() - begun) / ANSWERS;
}

static int measure(const char *name, bool kernel)
{
	struct stamps stamps = stamps_read(name, 1, kernel);
	double init[ROUNDS], sweep[ROUNDS], both[ROUNDS], ahead[ROUNDS];
	double phase[ROUNDS];

	if (!stamps.count) {
		fprintf(stderr, "no recorded exchanges '%s' in " TEST_DATA "/stamps\n", name);
		return -1;
	}
	struct clock_sample *samples = hour(&stamps);
	for (int i = 0; i < ROUNDS; i++) {
		measure_fit(samples, &init[i], &sweep[i]);
		both[i] = init[i] + sweep[i];
		phase[i] = measure_phase(samples);
		ahead[i] = measure_ahead(samples);
	}
	printf("%s, %s stamps, %d exchanges:\n", name, kernel ? "kernel's" : "own", EXCHANGES);
	print("finding steps", init);
	print("36,000 borders", sweep);
	print("both", both);
	print("a phase of 60 s at its end", phase);
	print("one answer ahead, of 400 exchanges", ahead);
	free(samples);
	free(stamps.samples);
	return 0;
}

int main(void)
{
	return measure("udp-io", true) + measure("udp-idle", true) + measure("zmq-burst-io", false)
		       ? 1
		       : 0;
}
