/* JUnit as Jenkins and GitLab read it: GitLab shows the classname as the suite and drops a second
 * case of the same classname and name, so names are unique. A case for the run, one for each phase
 * (whether it was measured), one for each gate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/name_set.h"
#include "common/real.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/measured.h"
#include "controller/analysis/window.h"
#include "controller/report/report.h"
#include "controller/report/xml.h"

/* What became of a case. */
struct verdict {
	const char *element; /* failure, error, skipped; NULL: it passed */
	const char *type;    /* FAIL, INVALID, … */
	char *message;       /* one sentence */
};

struct counts {
	uint32_t tests, failures, errors, skipped;
};

struct writer {
	FILE *file; /* NULL: only counts */
	const struct result *result;
	struct counts counts;
	struct name_set names;
};

/* ---- parts of a case ---- */

/* Of properties. */
enum { SUITE_INDENT = 4, CASE_INDENT = 6 };

static void print_property(FILE *file, int indent, const char *name, const char *value)
{
	fprintf(file, "%*s<property", indent, "");
	xml_attribute(file, "name", name);
	xml_attribute(file, "value", value);
	fputs("/>\n", file);
}

/* A whole number without the ".0" that tells it from an integer elsewhere. */
static void print_figure(FILE *file, const char *name, double value)
{
	char text[REAL_TEXT_SIZE];

	if (!isfinite(value))
		return;
	real_format(text, value);
	size_t size = strlen(text);
	if (size > 2 && text_is(text + size - 2, ".0"))
		text[size - 2] = '\0';
	print_property(file, CASE_INDENT, name, text);
}

static void count(struct counts *counts, const struct verdict *verdict)
{
	counts->tests++;
	counts->failures += text_is(verdict->element, "failure");
	counts->errors += text_is(verdict->element, "error");
	counts->skipped += text_is(verdict->element, "skipped");
}

static void print_verdict(FILE *file, const struct verdict *verdict)
{
	if (!verdict->element)
		return;
	fprintf(file, "    <%s", verdict->element);
	xml_attribute(file, "message", verdict->message);
	if (!text_is(verdict->element, "skipped"))
		xml_attribute(file, "type", verdict->type);
	fputs(">", file);
	xml_print(file, verdict->message);
	fprintf(file, "</%s>\n", verdict->element);
}

static char *format_seconds(char text[32], double seconds)
{
	snprintf(text, 32, "%.3f", seconds);
	return text;
}

/* A name that no case has had yet; the caller's to free. Takes `name`. */
static char *make_unique(struct writer *writer, const char *classname, char *name)
{
	char *unique = mem_text(name);

	for (uint32_t n = 2; !name_set_add(&writer->names, mem_format("%s\n%s", classname, unique));
	     n++) {
		free(unique);
		unique = mem_format("%s (%u)", name, n);
	}
	free(name);
	return unique;
}

/* The head of a case; answers whether anything is written. Takes `name`. Forges add up the times of
 * cases: what took none of its own has 0. */
static bool begin_case(struct writer *writer, const char *phase, char *name, double seconds,
		       const struct verdict *verdict)
{
	const char *plan = writer->result->plan ? text_or(writer->result->plan->name, "?") : "?";
	char *classname = mem_format("muster.%s%s%s", plan, phase ? "." : "", text_or(phase, ""));
	char time[32];

	count(&writer->counts, verdict);
	if (writer->file) {
		char *unique = make_unique(writer, classname, name);
		fputs("  <testcase", writer->file);
		xml_attribute(writer->file, "classname", classname);
		xml_attribute(writer->file, "name", unique);
		xml_attribute(writer->file, "time", format_seconds(time, seconds));
		fputs(">\n", writer->file);
		free(unique);
	} else {
		free(name);
	}
	free(classname);
	return writer->file != NULL;
}

/* ---- findings ---- */

static bool is_in(const struct result_finding *finding, const struct result_phase *phase)
{
	return finding->phase && text_is(finding->phase, phase->name) &&
	       finding->trial == phase->trial;
}

/* `phase` NULL: whether no phase's case has it, as what is said of a phase that was only planned,
 * or of all of its trials. */
static bool is_of(const struct result *result, const struct result_finding *finding,
		  const struct result_phase *phase)
{
	if (phase)
		return is_in(finding, phase);
	for (uint32_t p = 0; finding->phase && p < result->phases_count; p++)
		if (is_in(finding, &result->phases[p]))
			return false;
	return true;
}

/* The first INVALID or REFUSE finding of the phase (NULL: of the run) is its error. */
static struct verdict verdict_of(const struct result *result, const struct result_phase *phase)
{
	struct verdict verdict = {0};
	uint32_t more = 0;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		bool breaks =
			text_is(finding->level, "INVALID") || text_is(finding->level, "REFUSE");
		if (!breaks || !is_of(result, finding, phase) || (verdict.element && ++more))
			continue;
		char *place = findings_place(finding);
		verdict = (struct verdict){
			"error", text_is(finding->level, "REFUSE") ? "REFUSED" : "INVALID",
			mem_format("%s, %s: %s", text_or(finding->code, "?"), place,
				   text_or(finding->evidence, ""))};
		free(place);
	}
	if (more) {
		char *longer = mem_format("%s; and %u more", verdict.message, more);
		free(verdict.message);
		verdict.message = longer;
	}
	return verdict;
}

static void print_findings(FILE *file, const struct result *result,
			   const struct result_phase *phase)
{
	bool any = false;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!is_of(result, finding, phase))
			continue;
		fputs(any ? "\n" : "    <system-out>", file);
		char *place = findings_place(finding);
		char *line = mem_format(
			"%s %s, %s: %s%s%s", text_or(finding->level, "?"),
			text_or(finding->code, "?"), place, text_or(finding->evidence, ""),
			finding->advice ? " -> " : "", text_or(finding->advice, ""));
		xml_print(file, line);
		free(line);
		free(place);
		any = true;
	}
	if (any)
		fputs("</system-out>\n", file);
}

/* ---- the run and its phases ---- */

static double phase_seconds(const struct result_phase *phase)
{
	struct window_interval span = window_span(phase);

	return (double)(span.end_ns - span.start_ns) / (double)NS_PER_S;
}

/* What the gates say is theirs; that nothing was measured is said here, where there were to be
 * figures: of sweeps and plans alone there are none. */
static void write_run(struct writer *writer)
{
	const struct result *result = writer->result;
	struct verdict verdict = verdict_of(result, NULL);
	bool was_measured = (result->phases_count || result->facts) &&
			    !text_is(result->outcome, "REFUSED") &&
			    !text_is(result->outcome, "NOT_SET_UP");

	if (!verdict.element && !was_measured)
		verdict =
			(struct verdict){"error", text_or(result->outcome, "INVALID"),
					 mem_text(text_or(result->reason, "nothing was measured"))};
	if (begin_case(writer, NULL, mem_text("run"), 0, &verdict)) {
		print_verdict(writer->file, &verdict);
		print_findings(writer->file, result, NULL);
		fputs("  </testcase>\n", writer->file);
	}
	free(verdict.message);
}

static char *with_trial(const struct result *result, char *name, uint32_t trial)
{
	if (!result->plan || result->plan->repeat < 2)
		return name;
	char *longer = mem_format("%s, trial %u", name, trial);
	free(name);
	return longer;
}

static void write_phase(struct writer *writer, const struct result_phase *phase)
{
	struct verdict verdict = verdict_of(writer->result, phase);
	const struct result_cluster *cluster = phase->cluster;

	if (begin_case(writer, phase->name,
		       with_trial(writer->result, mem_text("measured"), phase->trial),
		       phase_seconds(phase), &verdict)) {
		if (cluster) {
			fputs("    <properties>\n", writer->file);
			print_figure(writer->file, "throughput_bytes_per_s", measured_rate(phase));
			print_figure(writer->file, "iops", cluster->iops);
			print_figure(writer->file, "p99_latency_ns", cluster->latency_ns.p99);
			fputs("    </properties>\n", writer->file);
		}
		print_verdict(writer->file, &verdict);
		print_findings(writer->file, writer->result, phase);
		fputs("  </testcase>\n", writer->file);
	}
	free(verdict.message);
}

/* ---- gates ---- */

static struct verdict verdict_of_gate(const struct result_gate *gate)
{
	static const struct {
		const char *state, *element;
	} elements[] = {{"FAIL", "failure"}, {"INVALID", "error"}, {"INCONCLUSIVE", "skipped"}};
	char value[UNITS_TEXT_SIZE], margin[UNITS_TEXT_SIZE], interval[GATES_INTERVAL_SIZE];
	struct verdict verdict = {0};

	for (size_t e = 0; e < sizeof(elements) / sizeof(elements[0]); e++)
		if (text_is(gate->state, elements[e].state))
			verdict = (struct verdict){.element = elements[e].element,
						   .type = elements[e].state};
	if (!verdict.element)
		return verdict;
	gates_format_interval(interval, gate);
	gates_format_margin(margin, gate);
	verdict.message =
		mem_format("%s: %s of %s is %s%s%s, the gate says %s%s%s%s%s", verdict.type,
			   text_or(gate->metric, "?"), text_or(gate->who, "?"),
			   gates_format_value(value, gate), *interval ? " " : "", interval,
			   text_or(gate->limit, "?"), *margin ? ", margin " : "", margin,
			   gate->text ? "; " : "", text_or(gate->text, ""));
	return verdict;
}

static void write_gate(struct writer *writer, const struct result_gate *gate)
{
	struct verdict verdict = verdict_of_gate(gate);
	char *name = mem_format("%s %s [%s]", text_or(gate->metric, "?"), text_or(gate->limit, "?"),
				text_or(gate->who, "?"));

	if (begin_case(writer, gate->phase, with_trial(writer->result, name, gate->trial), 0,
		       &verdict)) {
		fputs("    <properties>\n", writer->file);
		print_property(writer->file, CASE_INDENT, "limit", gate->limit);
		print_figure(writer->file, "value", gate->value);
		print_figure(writer->file, "interval_low", gate->low);
		print_figure(writer->file, "interval_high", gate->high);
		print_figure(writer->file, "margin", gate->margin);
		fputs("    </properties>\n", writer->file);
		print_verdict(writer->file, &verdict);
		fputs("  </testcase>\n", writer->file);
	}
	free(verdict.message);
}

/* ---- all ---- */

static void write_cases(struct writer *writer)
{
	write_run(writer);
	for (uint32_t p = 0; p < writer->result->phases_count; p++)
		write_phase(writer, &writer->result->phases[p]);
	for (uint32_t g = 0; g < writer->result->gates_count; g++)
		write_gate(writer, &writer->result->gates[g]);
}

static double run_seconds(const struct result *result)
{
	uint64_t end_ns = 0;

	for (uint32_t p = 0; p < result->phases_count; p++) {
		struct window_interval span = window_span(&result->phases[p]);
		if (span.end_ns > end_ns)
			end_ns = span.end_ns;
	}
	return (double)end_ns / (double)NS_PER_S;
}

static void print_head(const struct writer *counted, FILE *file)
{
	const struct result *result = counted->result;
	const struct counts *c = &counted->counts;
	char *name = mem_format("muster.%s", result->plan ? text_or(result->plan->name, "?") : "?");
	char time[32];

	format_seconds(time, run_seconds(result));
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite", file);
	xml_attribute(file, "name", name);
	fprintf(file, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", c->tests,
		c->failures, c->errors, c->skipped);
	xml_attribute(file, "time", time);
	xml_attribute(file, "timestamp", text_or(result->started_at, ""));
	fputs(">\n  <properties>\n", file);
	print_property(file, SUITE_INDENT, "run", text_or(result->run, ""));
	print_property(file, SUITE_INDENT, "muster", text_or(result->version, ""));
	print_property(file, SUITE_INDENT, "outcome", text_or(result->outcome, ""));
	if (result->reason)
		print_property(file, SUITE_INDENT, "reason", result->reason);
	for (uint32_t h = 0; h < result->hosts_count; h++)
		print_property(file, SUITE_INDENT, "host", text_or(result->hosts[h].host, "?"));
	fputs("  </properties>\n", file);
	free(name);
}

void report_junit(const struct result *result, FILE *file)
{
	struct writer counted = {.result = result}, writer = {.result = result, .file = file};

	write_cases(&counted);
	print_head(&counted, file);
	write_cases(&writer);
	fputs("</testsuite>\n</testsuites>\n", file);
	name_set_release(&writer.names);
}
