#include "controller/analysis/rules.h"

#include "common/text.h"
#include "controller/analysis/host_rules.h"
#include "controller/analysis/latency_rules.h"
#include "controller/analysis/layers.h"
#include "controller/analysis/model_rules.h"
#include "controller/analysis/sanity_rules.h"
#include "controller/analysis/sweep_rules.h"
#include "controller/analysis/timeline_rules.h"

void rules_compute(struct result *result, const struct result_series *series)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		if (text_is(result->phases[p].op, "idle") ||
		    text_is(result->phases[p].op, "fill")) /* they measure nothing */
			continue;
		if (series && series->phases)
			timeline_rules_check(result, &result->phases[p], &series->phases[p]);
		host_rules_check(result, &result->phases[p],
				 series && series->phases ? &series->phases[p] : NULL);
	}
	model_rules_exceeding(result);
	sanity_rules_check(result);
	if (result->facts) /* of a run, what was not measured is no finding */
		sanity_rules_check_plan(result);
	latency_rules_check(result, series);
	layers_check(result);
	model_rules_check(result);
	sweep_rules_check(result);
}
