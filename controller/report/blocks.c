#include "controller/report/blocks.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/report/layout.h"

/* Bytes of all hosts in each bucket; the caller's to free. */
static uint64_t *add_hosts(const struct result_phase *phase, const struct phase_series *series,
			   uint64_t *count)
{
	uint64_t *bytes = NULL;

	*count = 0;
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; series->series[h] && t < phase->hosts[h].targets_count; t++) {
			const struct series *one = &series->series[h][t];
			if (one->count > *count)
				bytes = mem_resize(bytes, one->count, sizeof(*bytes));
			for (; *count < one->count; (*count)++)
				bytes[*count] = 0;
			for (uint32_t b = 0; b < one->count; b++)
				bytes[b] +=
					one->buckets[b].bytes_read + one->buckets[b].bytes_written;
		}
	return bytes;
}

struct line {
	double heights[BLOCKS_WIDTH]; /* bytes/s */
	uint32_t ramp, count;         /* columns; those of the ramp come first */
	uint64_t step;                /* buckets of a column */
	double highest;
};

static void add_columns(struct line *line, const uint64_t *bytes, uint64_t from, uint64_t to,
			uint64_t bucket_ns)
{
	for (; from < to; from += line->step) {
		uint64_t end = from + line->step < to ? from + line->step : to;
		double sum = 0;
		for (uint64_t b = from; b < end; b++)
			sum += (double)bytes[b];
		double height = sum * (double)NS_PER_S / ((double)bucket_ns * (double)(end - from));
		line->heights[line->count++] = height;
		if (height > line->highest)
			line->highest = height;
	}
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static struct line make_line(const struct result_phase *phase, const uint64_t *bytes,
			     uint64_t count)
{
	uint64_t ramp = phase->ramp_ns / phase->bucket_ns;
	struct line line = {.step = 1};

	if (ramp > count)
		ramp = count;
	/* One place is the bar's. */
	while (ceil_div(ramp, line.step) + ceil_div(count - ramp, line.step) > BLOCKS_WIDTH - 1)
		line.step++;
	add_columns(&line, bytes, 0, ramp, phase->bucket_ns);
	line.ramp = line.count;
	add_columns(&line, bytes, ramp, count, phase->bucket_ns);
	return line;
}

static const char *block(double height, double highest)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	if (!(height > 0))
		return ".";
	int level = (int)(height / highest * 8);
	return blocks[level > 7 ? 7 : level];
}

void blocks_print(const struct result_phase *phase, const struct phase_series *series, int indent,
		  FILE *file)
{
	char width[UNITS_TEXT_SIZE], highest[UNITS_TEXT_SIZE];
	uint64_t count;

	if (!series || !series->series || !phase->bucket_ns)
		return;
	uint64_t *bytes = add_hosts(phase, series, &count);
	if (count) {
		struct line line = make_line(phase, bytes, count);
		fprintf(file, "%*stimeline: a column is %s, a full block %s%s\n%*s", indent, "",
			layout_ns(width, line.step * phase->bucket_ns),
			units_format_rate(highest, line.highest),
			line.ramp ? "; the ramp stands before the bar" : "", indent, "");
		for (uint32_t c = 0; c < line.count; c++)
			fprintf(file, "%s%s", line.ramp && c == line.ramp ? "|" : "",
				block(line.heights[c], line.highest));
		fputc('\n', file);
	}
	free(bytes);
}
