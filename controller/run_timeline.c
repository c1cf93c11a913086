#include "controller/run_timeline.h"

#include <string.h>

#include "common/memory.h"
#include "common/record_csv.h"
#include "common/text.h"
#include "controller/analysis/window.h"

#define BUCKETS_MOST 5000000 /* of a target in a phase */

struct filling {
	struct result *result;
	struct result_series *series;
	uint32_t host, target; /* of the line before: lines of one stand together */
	struct error *err;
	bool failed;
};

void run_timeline_init(const struct result *result, struct result_series *series)
{
	series->phases = mem_new(result->phases_count, sizeof(*series->phases));
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		struct phase_series *own = &series->phases[p];
		own->series = mem_new(phase->hosts_count, sizeof(*own->series));
		own->latency = mem_new(phase->hosts_count, sizeof(*own->latency));
		for (uint32_t h = 0; h < phase->hosts_count; h++) {
			uint32_t targets = phase->hosts[h].targets_count;
			own->series[h] = mem_new(targets, sizeof(**own->series));
			own->latency[h] = mem_new(targets, sizeof(**own->latency));
		}
	}
}

static void refuse_line(struct filling *filling, const struct result_bucket *line, const char *why)
{
	if (!filling->failed)
		error_set(filling->err, ERROR_USAGE,
			  "timeline.csv, phase %u, host '%s', target '%s', bucket %u: %s",
			  line->phase, text_or(line->host, ""), text_or(line->target, ""),
			  line->bucket, why);
	filling->failed = true;
}

static bool find_place(struct filling *filling, const struct result_phase *phase,
		       const struct result_bucket *line)
{
	for (uint32_t i = 0; i < phase->hosts_count; i++) {
		uint32_t h = (filling->host + i) % phase->hosts_count;
		const struct result_phase_host *host = &phase->hosts[h];
		if (!text_is(host->host, line->host))
			continue;
		filling->host = h;
		for (uint32_t t = 0; t < host->targets_count; t++)
			if (text_is(host->targets[t].target, line->target)) {
				filling->target = t;
				return true;
			}
		return false;
	}
	return false;
}

static void take_line(void *context, void *record)
{
	struct filling *filling = context;
	const struct result_bucket *line = record;

	if (line->phase == 0 || line->phase > filling->result->phases_count) {
		refuse_line(filling, line, "run.json has no such phase");
		return;
	}
	struct result_phase *phase = &filling->result->phases[line->phase - 1];
	if (!find_place(filling, phase, line) || line->bucket >= BUCKETS_MOST) {
		refuse_line(filling, line, "run.json has no such host, target or bucket");
		return;
	}
	struct series *series =
		&filling->series->phases[line->phase - 1].series[filling->host][filling->target];
	if (line->bucket >= series->count) {
		size_t room = 64;
		while (room <= line->bucket)
			room *= 2;
		series->buckets = mem_resize(series->buckets, room, sizeof(*series->buckets));
		memset(&series->buckets[series->count], 0,
		       (line->bucket + 1 - series->count) * sizeof(*series->buckets));
		series->count = line->bucket + 1;
	}
	series->buckets[line->bucket] = (struct series_bucket){
		.bytes_read = line->bytes_read,
		.bytes_written = line->bytes_written + line->bytes_trimmed,
		.operations = line->operations,
		.errors = line->errors,
		.worst_ns = line->worst_ns,
	};
}

/* ---- the whole ---- */

/* What run.json tells of a target is the sum of its buckets behind the ramp. */
static int check_target(const struct result_phase *phase, const char *host,
			const struct result_target *target, const struct series *series,
			struct error *err)
{
	uint64_t bytes = 0;

	for (uint64_t b = 0; b < series->count; b++)
		if (b * phase->bucket_ns >= phase->ramp_ns)
			bytes += series->buckets[b].bytes_read + series->buckets[b].bytes_written;
	if (bytes == target->bytes)
		return 0;
	error_set(err, ERROR_USAGE,
		  "timeline.csv, phase '%s', trial %u, host '%s', target '%s': its lines add up to "
		  "%llu bytes, run.json has %llu: it was cut short, or is of another run",
		  text_or(phase->name, ""), phase->trial, text_or(host, ""),
		  text_or(target->target, ""), (unsigned long long)bytes,
		  (unsigned long long)target->bytes);
	return -1;
}

/* Of hosts that came to their end: of others the run itself says what is wrong. */
static int check_sums(const struct result *result, const struct result_series *series,
		      struct error *err)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		for (uint32_t h = 0; h < phase->hosts_count; h++) {
			const struct result_phase_host *host = &phase->hosts[h];
			for (uint32_t t = 0;
			     window_host_is_complete(host) && t < host->targets_count; t++)
				if (check_target(phase, host->host, &host->targets[t],
						 &series->phases[p].series[h][t], err) < 0)
					return -1;
		}
	}
	return 0;
}

int run_timeline_parse(struct result *result, struct result_series *series, const char *bytes,
		       size_t size, struct error *err)
{
	struct filling filling = {.result = result, .series = series, .err = err};
	struct yaml_errors errors = {.file = "timeline.csv"};
	bool ok = record_csv_each(&result_bucket_table, RECORD_CSV_ANY, bytes, size, take_line,
				  &filling, &errors);

	if (!ok)
		error_set(err, ERROR_USAGE, "%s", errors.count ? errors.lines[0] : "timeline.csv");
	yaml_errors_release(&errors);
	return ok && !filling.failed ? check_sums(result, series, err) : -1;
}
