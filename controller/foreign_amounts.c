/* What was told of an amount, and its place among the buckets. */
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "controller/foreign_inside.h"

double foreign_block(const struct build *build)
{
	const struct phase *asked = build->asked;
	double mean = 0;

	for (uint32_t k = 0; k < asked->block_mix_count; k++)
		mean += (double)asked->block_mix[k].size * asked->block_mix[k].share / 100;
	return asked->block_mix_count ? mean : (double)asked->block_size;
}

struct amount foreign_amount_of(const struct build *build, double bytes, double bytes_per_s,
				double operations, double operations_per_s, double seconds)
{
	double block = foreign_block(build);
	struct amount amount = {.bytes = bytes, .operations = operations};

	if (isnan(amount.operations))
		amount.operations = operations_per_s * seconds;
	if (isnan(amount.bytes))
		amount.bytes = bytes_per_s * seconds;
	if (isnan(amount.bytes))
		amount.bytes = amount.operations * block;
	if (isnan(amount.bytes))
		amount.bytes = 0;
	if (isnan(amount.operations))
		amount.operations = amount.bytes / block;
	return amount;
}

double foreign_whole_operations(double operations)
{
	return ceil(operations - 1e-6);
}

void foreign_put(const struct build *build, struct series_bucket *bucket, struct amount amount)
{
	uint64_t bytes = (uint64_t)llround(amount.bytes), reads = bytes;

	if (build->asked->op == PHASE_OP_WRITE || build->asked->op == PHASE_OP_FILL)
		reads = 0;
	else if (build->asked->op == PHASE_OP_MIXED)
		reads = bytes / 100 * build->asked->read_percent;
	bucket->bytes_read += reads;
	bucket->bytes_written += bytes - reads;
	bucket->operations += (uint64_t)llround(amount.operations);
}

void foreign_find_errors(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	uint32_t samples = 0, totals = 0;

	while (samples < m->samples_count && !isnan(m->samples[samples].errors))
		samples++;
	while (totals < m->moved_count && !isnan(m->moved[totals].errors))
		totals++;
	bool samples_tell = samples && samples == m->samples_count;
	bool totals_tell = totals && totals == m->moved_count;
	build->phase->errors_unknown = !samples_tell && !totals_tell;
	build->errors_in_totals = !m->samples_count || (!samples_tell && totals_tell);
}

struct series_bucket *foreign_bucket_at(struct series *series, uint64_t index)
{
	if (index >= series->count) {
		size_t room = 64;
		while (room <= index)
			room *= 2;
		series->buckets = mem_resize(series->buckets, room, sizeof(*series->buckets));
		memset(&series->buckets[series->count], 0,
		       (index + 1 - series->count) * sizeof(*series->buckets));
		series->count = (uint32_t)index + 1;
	}
	return &series->buckets[index];
}

void foreign_extend(struct result_target *target, uint64_t from_ns, uint64_t to_ns)
{
	if (!target->last_io_ns || from_ns < target->first_io_ns)
		target->first_io_ns = from_ns;
	if (to_ns > target->last_io_ns)
		target->last_io_ns = to_ns;
}
