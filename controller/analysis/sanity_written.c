/* What was written before: to a device that is to be full, or that is read. */
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/sanity_inside.h"

/* The size of the device where it is known: told, or that of a device that is used whole. */
static uint64_t device_size(const struct subject *s)
{
	const struct plan *plan = s->result->plan;

	if (s->storage && s->storage->device_size)
		return s->storage->device_size;
	for (uint32_t t = 0; plan && t < plan->targets_count; t++)
		if (text_is(plan->targets[t].name, s->target) && plan->targets[t].device &&
		    !plan->targets[t].size)
			return s->extent;
	return 0;
}

static bool wrote_all(const struct result_phase_host *host, const struct subject *s, uint64_t size)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (text_is(host->host, s->host) && text_is(host->targets[t].target, s->target) &&
		    host->targets[t].bytes_written >= size)
			return true;
	return false;
}

/* Whether a phase before this one wrote as much as the device holds. */
static bool was_filled(const struct subject *s, uint64_t size)
{
	for (const struct result_phase *p = s->result->phases; p < s->phase; p++)
		if (s->index < p->hosts_count && wrote_all(&p->hosts[s->index], s, size))
			return true;
	return false;
}

bool sanity_is_unfilled(const struct subject *s, const struct result_target *target)
{
	uint64_t size = device_size(s), written = target->bytes_written + target->ramp_bytes;

	return s->asked->op == PHASE_OP_WRITE && size && written < size && !was_filled(s, size);
}

/* Once for a phase: a fleet of alike devices shows it everywhere. */
void sanity_report_unfilled(const struct subject *first, const struct result_target *target,
			    uint32_t count)
{
	char written[UNITS_TEXT_SIZE], size[UNITS_TEXT_SIZE];
	uint64_t bytes = target->bytes_written + target->ramp_bytes;
	struct result_finding *finding = findings_add(
		first->result, "STEADY_STATE_NOT_SHOWN", NULL, first->phase,
		count == 1 ? first->host : NULL, count == 1 ? first->target : NULL, NULL,
		"%s were written to a device of %s that nothing had filled before%s",
		units_format_bytes(written, bytes), units_format_bytes(size, device_size(first)),
		count > 1 ? "; likewise on other targets of the phase" : "");

	findings_figure(finding, "written_bytes", (double)bytes);
	findings_figure(finding, "device_bytes", (double)device_size(first));
	findings_figure(finding, "targets", count);
}

/* Whether a phase before this one wrote to the target on the same host. */
bool sanity_was_written(const struct subject *s)
{
	for (const struct result_phase *p = s->result->phases; p < s->phase; p++)
		if (s->index < p->hosts_count && wrote_all(&p->hosts[s->index], s, 1))
			return true;
	return false;
}

bool sanity_is_device(const struct result *result, const char *name)
{
	for (uint32_t t = 0; result->plan && t < result->plan->targets_count; t++)
		if (text_is(result->plan->targets[t].name, name))
			return result->plan->targets[t].device != NULL;
	return false;
}

/* Once for a phase, of its first such target. */
void sanity_report_unwritten(const struct subject *s)
{
	findings_add(s->result, "READ_BEFORE_WRITE", NULL, s->phase, NULL, s->target, NULL,
		     "the device is read, and nothing in this run wrote it before");
}
