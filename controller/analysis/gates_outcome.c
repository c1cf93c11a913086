#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"

/* The one that tells most: a lost host makes the others abort, and makes windows short. */
static const struct result_finding *first_invalid(const struct result *result, uint32_t *count)
{
	static const char *const telling[] = {"HOST_LOST", "INTERRUPTED", NULL};
	const struct result_finding *first = NULL;
	size_t rank = 0, least = SIZE_MAX;

	*count = 0;
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->level, "INVALID") && !text_is(finding->level, "REFUSE"))
			continue;
		(*count)++;
		for (rank = 0; telling[rank] && !text_is(telling[rank], finding->code); rank++)
			;
		if (rank < least) {
			least = rank;
			first = finding;
		}
	}
	return first;
}

static char *invalid_reason(const struct result_finding *finding, uint32_t count)
{
	char *place = findings_place(finding);
	char *reason = count > 1
			       ? mem_format("%s, %s: %s; %u more %s it invalid", finding->code,
					    place, finding->evidence, count - 1,
					    count == 2 ? "finding makes" : "findings make")
			       : mem_format("%s, %s: %s", finding->code, place, finding->evidence);

	free(place);
	return reason;
}

static const struct result_gate *first_gate(const struct result *result, const char *state,
					    uint32_t *count)
{
	const struct result_gate *first = NULL;

	*count = 0;
	for (uint32_t g = 0; g < result->gates_count; g++)
		if (text_is(result->gates[g].state, state) && !(*count)++)
			first = &result->gates[g];
	return first;
}

/* `what` is said of the other rows of that state. */
static char *gate_reason(const struct result_gate *gate, uint32_t count, const char *what)
{
	char value[UNITS_TEXT_SIZE], others[64] = "";

	if (count > 1)
		snprintf(others, sizeof(others), "; %u more %s %s", count - 1,
			 count == 2 ? "gate" : "gates", what);
	return mem_format("%s of %s in phase '%s' is %s, the gate says %s%s%s%s", gate->metric,
			  gate->who, gate->phase, gates_format_value(value, gate), gate->limit,
			  gate->text ? "; " : "", text_or(gate->text, ""), others);
}

static enum result_outcome decide(const struct result *result, char **reason)
{
	uint32_t count;
	const struct result_finding *finding = first_invalid(result, &count);

	if (finding) {
		*reason = invalid_reason(finding, count);
		return RESULT_OUTCOME_INVALID;
	}
	if (!result->phases_count && !result->facts) {
		*reason = mem_text("no phase was measured");
		return RESULT_OUTCOME_INVALID;
	}
	const struct result_gate *gate = first_gate(result, "INVALID", &count);
	if (gate) {
		*reason = gate_reason(gate, count, count == 2 ? "is INVALID" : "are INVALID");
		return RESULT_OUTCOME_INVALID;
	}
	gate = first_gate(result, "FAIL", &count);
	if (gate) {
		*reason = gate_reason(gate, count, count == 2 ? "does not hold" : "do not hold");
		return RESULT_OUTCOME_FAIL;
	}
	gate = first_gate(result, "INCONCLUSIVE", &count);
	if (gate) {
		*reason = gate_reason(gate, count,
				      count == 2 ? "is INCONCLUSIVE" : "are INCONCLUSIVE");
		return RESULT_OUTCOME_INCONCLUSIVE;
	}
	return RESULT_OUTCOME_PASS;
}

enum result_outcome gates_outcome(struct result *result)
{
	char *reason = NULL;
	int standing =
		result->outcome ? record_enum_find(result_outcome_names, result->outcome) : -1;

	if (standing >= 0)
		return (enum result_outcome)standing;
	enum result_outcome outcome = decide(result, &reason);
	free(result->outcome);
	result->outcome = mem_text(result_outcome_names[outcome]);
	free(result->reason);
	result->reason = reason;
	return outcome;
}
