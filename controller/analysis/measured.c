#include "controller/analysis/measured.h"

#include <math.h>

#include "common/text.h"
#include "controller/analysis/window.h"

static bool is_timed(const struct result_phase *phase)
{
	return text_is(phase->cluster->headline, "all_active");
}

bool measured_is_long_enough(const struct result *result, const struct result_phase *phase)
{
	if (!phase->cluster)
		return false; /* a host is missing, and that has been said */
	struct window_interval span = window_span(phase);
	uint64_t length_ns = is_timed(phase) ? phase->cluster->all_active_window_ns
					     : span.end_ns - span.start_ns;
	return length_ns >= MEASURED_LEAST_NS && length_ns >= result->min_window_ns;
}

bool measured_is_sound(const struct result *result, const struct result_phase *phase)
{
	if (!measured_is_long_enough(result, phase))
		return false;
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (text_is(finding->level, "INVALID") && text_is(finding->phase, phase->name) &&
		    finding->trial == phase->trial)
			return false;
	}
	return true;
}

double measured_rate(const struct result_phase *phase)
{
	if (!phase->cluster)
		return NAN;
	return is_timed(phase) ? phase->cluster->all_active_bytes_per_s
			       : phase->cluster->span_bytes_per_s;
}

double measured_host_rate(const struct result_phase *phase, uint32_t host)
{
	const struct result_phase_host *entry = &phase->hosts[host];

	return window_rate(window_host_bytes(entry), window_host_interval(phase, entry));
}

double measured_in_flight(const struct result *result, const struct result_phase *phase)
{
	const struct phase *plan = result_plan_phase(result, phase->name);

	return plan && plan->workers && plan->queue_depth
		       ? (double)plan->workers * plan->queue_depth
		       : 1;
}
