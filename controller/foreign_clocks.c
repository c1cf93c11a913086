#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/foreign_inside.h"

#define ASLEEP_LEAST_S 0.5   /* by which the clocks of a host differ when it slept */
#define RATE_TOLERANCE 0.005 /* of the time, beside two round trips */

/* Its figures are not used any more: the cluster's leave it out. */
static void set_state(struct result_phase_host *host, const char *state, char *text)
{
	free(host->state);
	free(host->text);
	host->state = mem_text(state);
	host->text = text;
}

/* ---- sleep ---- */

static void report_sleep(struct build *build, struct result_phase_host *host,
			 const struct foreign_tick *from, const struct foreign_tick *to,
			 uint32_t number)
{
	double monotonic = to->monotonic_s - from->monotonic_s;
	double boottime = to->boottime_s - from->boottime_s;
	struct result_finding *finding = findings_add(
		build->result, "SUSPEND_DETECTED", NULL, build->phase, host->host, NULL, NULL,
		"between lines %u and %u of its ticks %.2f s passed by the clock that stops in "
		"sleep and %.2f s by the one that does not (wall clock %.2f s): the host slept for "
		"%.2f s; what it moved in between is left out",
		number, number + 1, monotonic, boottime, to->realtime_s - from->realtime_s,
		boottime - monotonic);

	findings_figure(finding, "asleep_s", boottime - monotonic);
	findings_figure(finding, "after_tick", number - 1);
	findings_figure(finding, "before_tick", number);
	set_state(host, "discarded", mem_text("the host slept"));
}

/* One host's, in order. */
struct ticking {
	const struct foreign_tick *last, *first;
	uint32_t count;
};

static void add_tick(struct build *build, struct ticking *ticking, uint32_t h,
		     const struct foreign_tick *tick)
{
	struct result_phase_host *host = &build->phase->hosts[h];
	const struct foreign_tick *last = ticking->last;

	ticking->last = tick;
	ticking->count++;
	if (!last) {
		ticking->first = tick;
		return;
	}
	double monotonic = tick->monotonic_s - last->monotonic_s;
	if (tick->boottime_s - last->boottime_s - monotonic > ASLEEP_LEAST_S) {
		report_sleep(build, host, last, tick, ticking->count - 1);
		return;
	}
	uint64_t bytes = isnan(tick->bytes) ? 0 : (uint64_t)llround(tick->bytes);
	*(build->asked->op == PHASE_OP_READ ? &host->targets[0].bytes_read
					    : &host->targets[0].bytes_written) += bytes;
	host->targets[0].operations++;
	host->targets[0].first_io_ns = build->phase->start_ns;
	host->targets[0].last_io_ns =
		build->phase->start_ns +
		(uint64_t)((tick->monotonic_s - ticking->first->monotonic_s) * 1e9);
}

void foreign_add_ticks(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	struct ticking *hosts = mem_new(build->phase->hosts_count, sizeof(*hosts));

	for (uint32_t i = 0; i < m->clock_count; i++) {
		uint32_t h = foreign_host_index(build, m->clock[i].host);
		add_tick(build, &hosts[h], h, &m->clock[i]);
	}
	free(hosts);
}

/* ---- two clocks ---- */

static uint64_t bytes_of(const struct result_phase_host *host)
{
	uint64_t bytes = 0;

	for (uint32_t t = 0; t < host->targets_count; t++)
		bytes += host->targets[t].bytes;
	return bytes;
}

static void check_clocks(struct build *build, struct result_phase_host *host,
			 const struct foreign_phase_host *told)
{
	double agent = (double)told->agent_elapsed / 1e9;
	double other = (double)told->controller_elapsed / 1e9;
	double trip = (double)told->round_trip / 1e9;
	char by_agent[UNITS_TEXT_SIZE], by_other[UNITS_TEXT_SIZE];

	if (!told->agent_elapsed || !told->controller_elapsed ||
	    fabs(agent - other) <= RATE_TOLERANCE * other + 2 * trip)
		return;
	double bytes = (double)bytes_of(host);
	struct result_finding *finding = findings_add(
		build->result, "CLOCK_RATE_MISMATCH", NULL, build->phase, host->host, NULL, NULL,
		"the phase took %.3f s by the host's clock and %.3f s by the controller's, %.3f of "
		"it; its bytes are %s by the one and %s by the other, and neither is used",
		agent, other, agent / other, units_format_rate(by_agent, bytes / agent),
		units_format_rate(by_other, bytes / other));
	findings_figure(finding, "factor", agent / other);
	findings_figure(finding, "agent_bytes_per_s", bytes / agent);
	findings_figure(finding, "controller_bytes_per_s", bytes / other);
	set_state(host, "discarded", mem_text("its clock runs wrong"));
}

/* ---- space ---- */

/* What is free then is told of the storage. */
static uint64_t free_of(const struct build *build, const struct result_phase_host *host)
{
	struct known known = known_of(build->result, NULL);
	uint64_t most = 0;

	for (uint32_t t = 0; t < host->targets_count; t++) {
		const struct fact_storage *storage = known_storage(&known, host->targets[t].target);
		if (storage && storage->free_bytes > most)
			most = storage->free_bytes;
	}
	return most;
}

static void fill_up(struct build *build, struct result_phase_host *host)
{
	uint64_t left = free_of(build, host);
	char text[UNITS_TEXT_SIZE];

	host->code = mem_text("DISK_FULL");
	set_state(host, "broken",
		  left ? mem_format("its space ran out with %s free: a limit on files, inodes or a "
				    "quota is as likely as the disk",
				    units_format_bytes(text, left))
		       : mem_text("its space ran out"));
}

/* ---- heartbeats ---- */

struct beating {
	double last_s, silence_s; /* the longest */
	bool any;
};

static void hear(struct beating *b, double at_s)
{
	if (b->any && at_s - b->last_s > b->silence_s)
		b->silence_s = at_s - b->last_s;
	b->any = true;
	b->last_s = fmax(b->last_s, at_s);
}

/* `end_s`: when something was heard of any host for the last time. */
static void find_silence(struct build *build, struct result_phase_host *host,
			 const struct beating *b, double end_s)
{
	double dead_s = (double)build->foreign->dead_after / 1e9;
	double suspect_s = (double)build->foreign->suspect_after / 1e9;
	double silence_s = b->silence_s;

	if (end_s - b->last_s > dead_s) {
		host->lost_at_ns = build->phase->start_ns + (uint64_t)((b->last_s + dead_s) * 1e9);
		set_state(host, "lost",
			  mem_format("nothing was heard of it after %.3f s, for dead_after, %g s",
				     b->last_s, dead_s));
		return;
	}
	if (silence_s > suspect_s)
		host->silence_ns = (uint64_t)(silence_s * 1e9);
}

static void check_beats(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	struct beating *hosts = mem_new(build->phase->hosts_count, sizeof(*hosts));
	double end_s = 0;

	for (uint32_t i = 0; i < m->beats_count; i++) {
		uint32_t h = foreign_host_index(build, m->beats[i].host);
		hear(&hosts[h], m->beats[i].arrived_s);
		end_s = fmax(end_s, m->beats[i].arrived_s);
	}
	for (uint32_t h = 0; m->beats_count && h < build->phase->hosts_count; h++)
		find_silence(build, &build->phase->hosts[h], &hosts[h], end_s);
	free(hosts);
}

/* ---- states ---- */

static bool has_any(const struct build *build, uint32_t h)
{
	const struct result_phase_host *host = &build->phase->hosts[h];

	for (uint32_t t = 0; t < host->targets_count; t++)
		if (host->targets[t].last_io_ns)
			return true;
	for (uint32_t i = 0; i < build->measured->clock_count; i++)
		if (foreign_host_index(build, build->measured->clock[i].host) == h)
			return true;
	return !host->targets_count;
}

/* Told of a phase, with nothing of the host in it: what is left is no smaller fleet. */
static void find_missing(struct build *build)
{
	uint32_t missing = 0, count = build->phase->hosts_count;

	for (uint32_t h = 0; h < count; h++)
		missing += !has_any(build, h);
	for (uint32_t h = 0; missing && h < count; h++) {
		struct result_phase_host *host = &build->phase->hosts[h];
		if (has_any(build, h))
			continue;
		set_state(host, "missing", mem_text("no figure came of it"));
		struct result_finding *finding = findings_add(
			build->result, "INCOMPLETE", NULL, build->phase, host->host, NULL, NULL,
			"no figure came of the host; there are those of %u of %u hosts, so there "
			"is none of all together",
			count - missing, count);
		findings_figure(finding, "hosts", count - missing);
		findings_figure(finding, "of", count);
	}
}

void foreign_find_states(struct build *build)
{
	const struct foreign_measured *m = build->measured;

	for (uint32_t i = 0; i < m->hosts_count; i++) {
		uint32_t h = foreign_host_index(build, m->hosts[i].host);
		if (h == UINT32_MAX)
			continue;
		check_clocks(build, &build->phase->hosts[h], &m->hosts[i]);
		if (m->hosts[i].disk_full)
			fill_up(build, &build->phase->hosts[h]);
	}
	check_beats(build);
	if (m->hung) {
		for (uint32_t h = 0; h < build->phase->hosts_count; h++)
			set_state(&build->phase->hosts[h], "hung", mem_text("it never ended"));
		findings_add(build->result, "PHASE_HUNG", NULL, build->phase, NULL, NULL, NULL,
			     "the phase never ended%s%s; there is no figure of it",
			     m->controller ? " on controller " : "",
			     m->controller ? m->controller : "");
		return;
	}
	find_missing(build);
}
