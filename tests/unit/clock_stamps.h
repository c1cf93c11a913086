/* clock_stamps.h - exchanges that were recorded (tests/stamps/README.md), with the truth, and with
 * what a test does to the agent's clock and to the path. */
#ifndef MUSTER_TESTS_CLOCK_STAMPS_H
#define MUSTER_TESTS_CLOCK_STAMPS_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_fit.h"

#define STAMPS_AGENTS 4
/* Of converting a kernel's stamp; of rounding to ns, the truth as well. */
#define STAMPS_KERNEL_ERROR 100
#define STAMPS_ERROR        3

/* Done to what was recorded, from some instant on; all zero for nothing. */
struct injection {
	double at_s; /* after the first exchange */
	int64_t step_ns;
	double drift_ppb;  /* from then on */
	double wobble_ppb; /* amplitude over the whole run, period 60 s */
	uint64_t late_ns;  /* replies come back so much later */
};

struct stamps {
	struct clock_sample *samples;
	uint32_t count;
	uint32_t agent; /* index into stamps_agents */
	uint64_t at_ns; /* controller's instant of the injection */
	struct injection injection;
};

static const struct {
	uint32_t agent;
	int64_t ppb;
} stamps_agents[STAMPS_AGENTS] = {{0, 0}, {1, 50000}, {2, -200000}, {5, 200000}};

static uint64_t stamps_offset(uint32_t agent)
{
	return (stamps_agents[agent].agent + 1) * 1000 * NS_PER_S;
}

/* What the agent's clock shows at the controller's instant, as it was recorded. */
static uint64_t stamps_recorded(uint32_t agent, uint64_t controller_ns)
{
	int64_t x = (int64_t)(controller_ns + stamps_offset(agent));
	int64_t millions = x / 1000000, rest = x % 1000000, ppb = stamps_agents[agent].ppb;

	/* x * ppb would not fit. */
	return (uint64_t)(x + (millions * ppb + rest * ppb / 1000000) / 1000);
}

/* How far the injection has moved the agent's clock. */
static int64_t stamps_moved(const struct stamps *stamps, uint64_t controller_ns)
{
	const struct injection *in = &stamps->injection;
	double since = (double)(int64_t)(controller_ns - stamps->at_ns);
	double turn = 2 * 3.14159265358979323846 / (60e9);
	double moved = in->wobble_ppb * 1e-9 / turn * sin(turn * since);

	if (since >= 0)
		moved += (double)in->step_ns + in->drift_ppb * 1e-9 * since;
	return (int64_t)llround(moved);
}

/* theta: agent's clock - controller's. */
static inline int64_t stamps_truth(const struct stamps *stamps, uint64_t controller_ns)
{
	return (int64_t)(stamps_recorded(stamps->agent, controller_ns) - controller_ns) +
	       stamps_moved(stamps, controller_ns);
}

/* The controller's instant at which the agent's clock showed that. */
static uint64_t stamps_instant(uint32_t agent, uint64_t agent_ns)
{
	uint64_t t = agent_ns - stamps_offset(agent);

	for (int i = 0; i < 8; i++)
		t -= stamps_recorded(agent, t) - agent_ns;
	return t;
}

static bool stamps_row(FILE *file, uint32_t *agent, uint64_t t[4], uint64_t k[4])
{
	return fscanf(file,
		      "%" SCNu32 ",%*u,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
		      ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "\n",
		      agent, &t[0], &t[1], &t[2], &t[3], &k[0], &k[1], &k[2], &k[3]) == 9;
}

/* Stamps of the kernel where there are and where they are possible. */
static struct clock_sample stamps_sample(const uint64_t t[4], const uint64_t k[4], bool kernel)
{
	struct clock_sample s = {.t1 = t[0], .t2 = t[1], .t3 = t[2], .t4 = t[3]};

	s.upper_error_ns = s.lower_error_ns = STAMPS_ERROR;
	if (!kernel)
		return s;
	s.stamp = CLOCK_STAMP_KERNEL;
	s.upper_error_ns = s.lower_error_ns = STAMPS_KERNEL_ERROR;
	s.t1 = k[0] >= t[0] ? k[0] : t[0];
	s.t2 = k[1] && k[1] <= t[1] ? k[1] : t[1];
	s.t3 = k[2] >= t[2] ? k[2] : t[2];
	s.t4 = k[3] && k[3] <= t[3] ? k[3] : t[3];
	return s;
}

static int stamps_compare(const void *a, const void *b)
{
	const struct clock_sample *x = a, *y = b;

	return (x->t1 > y->t1) - (x->t1 < y->t1);
}

static inline void stamps_inject(struct stamps *stamps, const struct injection *injection)
{
	stamps->injection = *injection;
	stamps->at_ns = stamps->samples[0].t1 + (uint64_t)(injection->at_s * 1e9);
	for (uint32_t i = 0; i < stamps->count; i++) {
		struct clock_sample *s = &stamps->samples[i];
		s->t2 += (uint64_t)stamps_moved(stamps, stamps_instant(stamps->agent, s->t2));
		s->t3 += (uint64_t)stamps_moved(stamps, stamps_instant(stamps->agent, s->t3));
		if (s->t4 >= stamps->at_ns)
			s->t4 += injection->late_ns;
	}
}

/* All exchanges of an agent in a file, e.g. "udp-io"; none: samples is NULL. */
static struct stamps stamps_read(const char *name, uint32_t agent, bool kernel)
{
	struct stamps stamps = {.agent = agent};
	char *path = mem_format("%s/stamps/%s.csv", TEST_DATA, name);
	FILE *file = fopen(path, "r");
	uint64_t t[4], k[4];
	uint32_t of;

	free(path);
	if (!file)
		return stamps;
	if (fscanf(file, "%*[^\n]\n") < 0)
		rewind(file);
	while (stamps_row(file, &of, t, k)) {
		if (of != stamps_agents[agent].agent)
			continue;
		stamps.samples =
			mem_resize(stamps.samples, stamps.count + 1, sizeof(*stamps.samples));
		stamps.samples[stamps.count++] = stamps_sample(t, k, kernel);
	}
	fclose(file);
	if (stamps.count)
		qsort(stamps.samples, stamps.count, sizeof(*stamps.samples), stamps_compare);
	return stamps;
}

#endif
