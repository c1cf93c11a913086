/* clock_truth.c - is what was recorded of an agent's clock true?
 *
 *     muster-clock-truth CLOCK_BIN HOST BEGIN_NS DRIFT_PPB STEP_AT_NS STEP_NS NAMESPACE_NS
 *
 * The agent was muster-agent-hooked in a time namespace that is NAMESPACE_NS ahead of the
 * controller, so that its clock at the controller's T is known exactly (tests/hooked_clock.h). Fits
 * the recorded exchanges again, as a whole and as they came, at every 5 ms, and prints how often
 * the truth lay inside the stated interval. Exit 1 when it ever did not without a disruption being
 * stated. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_record.h"
#include "tests/hooked_clock.h"

#define EVERY_NS (5 * NS_PER_MS)

struct score {
	uint64_t *errors, *bounds;
	uint32_t count, inside, withheld, disrupted;
};

static int64_t truth_at(const struct hooked_clock *clock, uint64_t namespace_ns, uint64_t t)
{
	return (int64_t)(hooked_shows(clock, t + namespace_ns) - t);
}

static void judge(struct score *score, const struct clock_estimate *estimate, int64_t truth)
{
	if (!estimate->known) {
		score->withheld++;
		return;
	}
	score->disrupted += estimate->disrupted;
	int64_t error = estimate->offset_ns - truth;
	score->errors[score->count] = (uint64_t)(error < 0 ? -error : error);
	score->bounds[score->count++] = clock_estimate_bound(estimate);
	score->inside += estimate->lo_ns <= truth && truth <= estimate->hi_ns;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t share(uint64_t *values, uint32_t count, uint32_t percent)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), by_size);
	return values[(uint64_t)(count - 1) * percent / 100];
}

static int print(const char *what, struct score *score)
{
	printf("{\"fit\":\"%s\",\"instants\":%u,\"inside\":%u,\"withheld\":%u,\"disrupted\":%u,"
	       "\"error_p50_ns\":%" PRIu64 ",\"error_p99_ns\":%" PRIu64 ",\"bound_p50_ns\":%" PRIu64
	       ",\"bound_p99_ns\":%" PRIu64 "}\n",
	       what, score->count, score->inside, score->withheld, score->disrupted,
	       share(score->errors, score->count, 50), share(score->errors, score->count, 99),
	       share(score->bounds, score->count, 50), share(score->bounds, score->count, 99));
	return score->inside == score->count ? 0 : 1;
}

/* How many of the first samples had come back at `now`. */
static uint32_t arrived(const struct clock_record_host *host, uint32_t from, uint64_t now)
{
	while (from < host->count && host->samples[from].t4 <= now)
		from++;
	return from;
}

static int check(const struct clock_record_host *host, const struct hooked_clock *clock,
		 uint64_t namespace_ns)
{
	struct clock_fit fit;
	uint64_t begin = host->samples[0].t4, end = host->samples[host->count - 1].t1;
	size_t room = (size_t)((end - begin) / EVERY_NS) + 2;
	struct score whole = {.errors = mem_new(room, sizeof(uint64_t)),
			      .bounds = mem_new(room, sizeof(uint64_t))};
	struct score causal = {.errors = mem_new(room, sizeof(uint64_t)),
			       .bounds = mem_new(room, sizeof(uint64_t))};
	uint32_t known = 0;

	clock_fit_init(&fit, host->samples, host->count, NULL, 0);
	for (uint64_t t = begin; t <= end; t += EVERY_NS) {
		struct clock_estimate estimate = clock_fit_at(&fit, t);
		judge(&whole, &estimate, truth_at(clock, namespace_ns, t));
		known = arrived(host, known, t);
		estimate = clock_fit_ahead(host->samples, known, t, t);
		judge(&causal, &estimate, truth_at(clock, namespace_ns, t));
	}
	int wrong = print("whole", &whole) + print("causal", &causal);
	clock_fit_release(&fit);
	free(whole.errors);
	free(whole.bounds);
	free(causal.errors);
	free(causal.bounds);
	return wrong;
}

static unsigned char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data = NULL;

	*size = 0;
	for (size_t got = 1; file && got;) {
		data = mem_resize(data, *size + 65536, 1);
		got = fread(data + *size, 1, 65536, file);
		*size += got;
	}
	if (file)
		fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	struct clock_record record = {0};
	struct error err = {0};
	size_t size;
	int wrong = 2;

	if (argc != 8) {
		fputs("usage: muster-clock-truth CLOCK_BIN HOST BEGIN_NS DRIFT_PPB STEP_AT_NS "
		      "STEP_NS "
		      "NAMESPACE_NS\n",
		      stderr);
		return 2;
	}
	struct hooked_clock clock = {.begin_ns = strtoull(argv[3], NULL, 10),
				     .drift_ppb = strtoll(argv[4], NULL, 10),
				     .step_at_ns = strtoull(argv[5], NULL, 10),
				     .step_ns = strtoll(argv[6], NULL, 10)};
	unsigned char *data = read_all(argv[1], &size);
	if (!data || clock_record_unpack(&record, data, size, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], data ? err.text : "cannot be read");
		return 2;
	}
	for (uint32_t i = 0; i < record.count; i++)
		if (strcmp(record.hosts[i].host, argv[2]) == 0 && record.hosts[i].count)
			wrong = check(&record.hosts[i], &clock, strtoull(argv[7], NULL, 10));
	clock_record_release(&record);
	free(data);
	return wrong;
}
