#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/gates_inside.h"

static bool covers(const struct result_gate *row, const struct result_finding *finding)
{
	if (!text_is(row->metric, "errors") || !text_is(row->phase, finding->phase) ||
	    row->trial != finding->trial)
		return false;
	if (text_is(row->of, "fleet"))
		return true;
	if (text_is(row->of, "host"))
		return text_is(row->who, finding->host);
	char *who = mem_format("%s:%s", finding->host ? finding->host : "",
			       finding->target ? finding->target : "");
	bool same = text_is(row->who, who);
	free(who);
	return same;
}

static bool are_allowed(const struct result *result, const struct result_finding *finding)
{
	bool allowed = false;

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *row = &result->gates[g];
		if (!covers(row, finding))
			continue;
		if (!text_is(row->state, "PASS"))
			return false;
		if (strstr(row->limit, "at_most"))
			allowed = true;
	}
	return allowed;
}

void gates_allow_errors(struct result *result)
{
	for (uint32_t f = 0; f < result->findings_count; f++) {
		struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->code, "IO_ERRORS") || !are_allowed(result, finding))
			continue;
		free(finding->level);
		finding->level = mem_text("NOTE");
		free(finding->advice);
		finding->advice = mem_text("a gate on errors allows as many");
	}
}
