#include "common/record_csv.h"
#include "common/text.h"
#include "controller/report/report.h"

static uint32_t last_bucket(const struct result_phase *phase, const struct phase_series *series)
{
	uint32_t count = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; series->series[h] && t < phase->hosts[h].targets_count; t++)
			if (series->series[h][t].count > count)
				count = series->series[h][t].count;
	return count;
}

/* One target of one host, and where that host's buckets began. */
struct column {
	const struct series *series;
	const struct series_edge *edges;
	uint32_t edges_count;
};

static void print_target(const struct result_bucket *row, uint64_t ramp_ns, bool is_trim,
			 const struct column *column, uint32_t count, FILE *file)
{
	static const struct series_bucket nothing;

	for (uint32_t b = 0; b < count; b++) {
		const struct series_bucket *from =
			b < column->series->count ? &column->series->buckets[b] : &nothing;
		struct result_bucket bucket = *row;
		bucket.bucket = b;
		bucket.start_ns += b * row->bucket_ns;
		bucket.ramp = b * row->bucket_ns < ramp_ns;
		bucket.bytes = from->bytes_read + from->bytes_written;
		bucket.bytes_read = from->bytes_read;
		*(is_trim ? &bucket.bytes_trimmed : &bucket.bytes_written) = from->bytes_written;
		bucket.operations = from->operations;
		bucket.errors = from->errors;
		bucket.worst_ns = from->worst_ns;
		if (b < column->edges_count) {
			bucket.edge_error_ns = column->edges[b].error_ns;
			bucket.edge_bound_ns = column->edges[b].bound_ns;
			bucket.disrupted = column->edges[b].disrupted;
		}
		record_csv_line(&result_bucket_table, &bucket, file);
	}
}

static void print_phase(const struct result *result, uint32_t p, const struct phase_series *series,
			FILE *file)
{
	const struct result_phase *phase = &result->phases[p];
	uint32_t count = last_bucket(phase, series);

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; series->series[h] && t < phase->hosts[h].targets_count; t++) {
			struct result_bucket row = {
				.phase = p + 1,
				.name = phase->name,
				.trial = phase->trial,
				.host = phase->hosts[h].host,
				.target = phase->hosts[h].targets[t].target,
				.start_ns = phase->start_ns,
				.bucket_ns = phase->bucket_ns,
			};
			struct column column = {.series = &series->series[h][t]};
			if (series->edges) {
				column.edges = series->edges[h];
				column.edges_count = series->edges_count[h];
			}
			print_target(&row, phase->ramp_ns, text_is(phase->op, "trim"), &column,
				     count, file);
		}
}

void report_timeline(const struct result *result, const struct result_series *series, FILE *file)
{
	record_csv_header(&result_bucket_table, file);
	for (uint32_t p = 0; series && series->phases && p < result->phases_count; p++)
		if (series->phases[p].series)
			print_phase(result, p, &series->phases[p], file);
}
