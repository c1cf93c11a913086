#include "controller/analysis/load_findings.h"

#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"

static void check_rate(struct result *result, const struct result_phase *phase,
		       const struct phase *asked, const struct result_phase_host *host,
		       const struct result_target *target)
{
	bool by_bytes = asked->rate_bytes > 0;
	double wanted = (double)(by_bytes ? asked->rate_bytes : asked->rate_operations);
	double got = by_bytes ? target->throughput_bytes_per_s : target->iops;
	char rate[UNITS_TEXT_SIZE];

	if (isnan(got) || got >= wanted * LOAD_RATE_REACHED)
		return;
	if (by_bytes)
		units_format_rate(rate, got);
	else
		snprintf(rate, sizeof(rate), "%.0f/s", got);
	struct result_finding *finding = findings_add(
		result, "RATE_NOT_REACHED", NULL, phase, host->host, target->target, NULL,
		"%s where %s was asked for, %.0f %% of it", rate, asked->rate, got / wanted * 100);
	findings_figure(finding, by_bytes ? "reached_bytes_per_s" : "reached_iops", got);
	findings_figure(finding, by_bytes ? "wanted_bytes_per_s" : "wanted_iops", wanted);
}

void load_findings_compute(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		const struct phase *asked = result_plan_phase(result, phase->name);
		if (!asked || !phase_is_paced(asked))
			continue;
		for (uint32_t h = 0; h < phase->hosts_count; h++)
			for (uint32_t t = 0; window_host_is_complete(&phase->hosts[h]) &&
					     t < phase->hosts[h].targets_count;
			     t++)
				check_rate(result, phase, asked, &phase->hosts[h],
					   &phase->hosts[h].targets[t]);
	}
}
