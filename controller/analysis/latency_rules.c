#include "controller/analysis/latency_rules.h"

#include <math.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/measured.h"
#include "controller/analysis/window.h"

#define LEAST_OPERATIONS 1000 /* fewer: the beginning and end of the phase weigh */

/* Of the middles of its buckets, each within 0.4 %. */
static double mean_ns(const struct histogram *h)
{
	double sum = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->counts[i])
			sum += (double)h->counts[i] *
			       ((double)histogram_low(i) + (double)histogram_high(i)) / 2;
	return h->total ? sum / (double)h->total : NAN;
}

/* What was in flight on a host, of what its workers would keep; NAN: not known. */
static double share_of(const struct result_phase *phase, const struct phase_series *series,
		       uint32_t h, double asked)
{
	const struct result_phase_host *host = &phase->hosts[h];
	double in_flight = 0, wanted = 0;

	for (uint32_t t = 0; t < host->targets_count; t++) {
		const struct result_target *target = &host->targets[t];
		double own = little_in_flight(target->iops, mean_ns(&series->latency[h][t]));
		if (isnan(own) || target->operations < LEAST_OPERATIONS ||
		    text_is(target->io, "none") || target->errors)
			return NAN;
		in_flight += own;
		wanted += asked;
	}
	return in_flight / wanted;
}

/* One finding: where it is the generator, it is all of them. */
static void check_phase(struct result *result, const struct result_phase *phase,
			const struct phase_series *series)
{
	const struct phase *asked = result_plan_phase(result, phase->name);
	double least = INFINITY;
	uint32_t count = 0, worst = 0;

	/* Comparing and waiting for a rate or a sync are what was asked for. */
	if (!asked || asked->verify || phase_is_paced(asked) ||
	    !measured_is_long_enough(result, phase))
		return;
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		double share =
			share_of(phase, series, h, (double)asked->workers * asked->queue_depth);
		if (!(share < LITTLE_LEAST))
			continue;
		count++;
		if (share < least) {
			least = share;
			worst = h;
		}
	}
	if (!count)
		return;
	struct result_finding *finding = findings_add(
		result, "GENERATOR_MAY_LIMIT", "NOTE", phase, phase->hosts[worst].host, NULL, NULL,
		"rate times latency is %.0f %% of what the workers should keep in flight; the rest "
		"of the time they were not waiting for the storage%s",
		100 * least, count > 1 ? "; likewise on other hosts" : "");
	findings_figure(finding, "in_flight_of_asked", least);
	findings_figure(finding, "hosts", count);
}

void latency_rules_check(struct result *result, const struct result_series *series)
{
	for (uint32_t p = 0; series && series->phases && p < result->phases_count; p++)
		if (series->phases[p].latency)
			check_phase(result, &result->phases[p], &series->phases[p]);
}
