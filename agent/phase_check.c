#include "agent/phase_check.h"

#include "common/clock.h"
#include "common/pattern.h"

#define MOST_THREADS 4096
#define MOST_TARGETS 4096 /* of a host, and parts of all of its stripes */
#define LEAST_BUCKET NS_PER_MS
#define MOST_NS      (UINT64_C(1) << 60) /* 36 years */

static int refuse(struct error *err, const char *text)
{
	error_set(err, ERROR_REFUSED, "%s", text);
	return -1;
}

static int check_times(const struct prepare *prepare, struct error *err)
{
	const struct phase *phase = &prepare->phase;

	if (phase->op == PHASE_OP_FILL && (phase->runtime || phase->size_bytes || !phase->passes))
		return refuse(err,
			      "a fill ends when all was written 'passes' times, at least once: "
			      "give it neither size nor runtime");
	if (!phase->runtime && !phase->size_bytes && !phase_passes(phase))
		return refuse(err, "the phase has neither size nor runtime: give it one");
	if (phase->ramp && !phase->runtime)
		return refuse(err, "the phase has a ramp and no runtime: give it one");
	if (phase->runtime > MOST_NS || phase->ramp > MOST_NS)
		return refuse(err, "runtime and ramp are too long: most is 36 years");
	if (prepare->bucket_ns < LEAST_BUCKET || prepare->bucket_ns > MOST_NS)
		return refuse(err,
			      "timeline buckets are shorter than 1 ms or too long: use 100 ms");
	if ((phase->runtime + phase->ramp) / prepare->bucket_ns >= UINT32_MAX)
		return refuse(err, "too many timeline buckets: use longer ones");
	return 0;
}

static int check_mix(const struct phase *phase, struct error *err)
{
	uint64_t largest = 0;
	uint32_t shares = 0;

	if (!phase->block_mix_count)
		return 0;
	if (phase->block_mix_count > PHASE_MIX_MOST)
		return refuse(err, "a mix has at most 16 block sizes");
	if (phase->access != PHASE_ACCESS_RANDOM || phase->split != PHASE_SPLIT_REGIONS)
		return refuse(err, "a mix of block sizes is for random access with split: regions");
	if (phase->coverage == PHASE_COVERAGE_FULL)
		return refuse(err, "a mix of block sizes does not cover each block once");
	for (uint32_t i = 0; i < phase->block_mix_count; i++) {
		const struct block_share *one = &phase->block_mix[i];
		if (one->size < 512 || one->size % 512 || one->share > 100)
			return refuse(err, "sizes of a mix are multiples of 512 bytes, and shares "
					   "at most 100 %");
		largest = one->size > largest ? one->size : largest;
		shares += one->share;
	}
	if (shares != 100 || largest != phase->block_size)
		return refuse(err, "the shares of a mix add up to 100 %, and its largest size is "
				   "the block size");
	return 0;
}

static int check_data(const struct phase *phase, struct error *err)
{
	bool is_zeros = phase->pattern == PHASE_PATTERN_ZEROS;

	if (phase->compress > PATTERN_COMPRESS_MOST || phase->dedupe > PATTERN_DEDUPE_MOST)
		return refuse(err, "compress must be at most 90 % and dedupe at most 95 %");
	if (is_zeros && (phase->compress || phase->dedupe))
		return refuse(err, "zeros are neither more nor less compressible or alike: leave "
				   "compress and dedupe out");
	if (is_zeros && phase->verify)
		return refuse(err, "zeros tell nothing that could be verified: leave verify out, "
				   "or take another pattern");
	return 0;
}

static int check_rate(const struct phase *phase, struct error *err)
{
	bool by_bytes = phase->rate_bytes > 0;
	uint64_t rate = by_bytes ? phase->rate_bytes : phase->rate_operations;

	if (by_bytes && phase->rate_operations)
		return refuse(err, "a rate is of bytes or of operations, not of both");
	if (rate && rate < phase_least_rate(phase, by_bytes))
		return refuse(err, "the rate is less than an I/O a minute of each worker");
	return 0;
}

static int check_syncs(const struct phase *phase, struct error *err)
{
	if (phase->op == PHASE_OP_IDLE && !phase->runtime)
		return refuse(err, "an idle phase has no runtime: give it one");
	if (phase->op == PHASE_OP_TRIM && phase->sync == PHASE_SYNC_EACH)
		return refuse(err, "a trim phase has no writes to sync each of");
	if (phase->sync_every && (!phase_writes_data(phase) || phase->sync == PHASE_SYNC_EACH))
		return refuse(err, "sync_every is for phases that write, without sync: each");
	return 0;
}

static int check_shape(const struct phase *phase, struct error *err)
{
	if (phase->block_size < 512 || phase->block_size % 512 || phase->block_size > 1U << 30) {
		error_set(err, ERROR_REFUSED,
			  "block_size %llu is not a multiple of 512 bytes up to 1 GiB: the nearest "
			  "is %llu",
			  (unsigned long long)phase->block_size,
			  (unsigned long long)(phase->block_size < 512 ? 512
					       : phase->block_size > 1U << 30
						       ? 1U << 30
						       : phase->block_size / 512 * 512));
		return -1;
	}
	if (!phase->workers || phase->workers > 1024)
		return refuse(err, "workers must be 1 to 1024");
	if (!phase->queue_depth || phase->queue_depth > 4096)
		return refuse(err, "queue_depth must be 1 to 4096");
	if (phase->read_percent > 100)
		return refuse(err, "read_percent must be 0 % to 100 %");
	if (!phase->targets_count)
		return refuse(err, "the phase has no target: name one");
	if (phase->verify && phase->op != PHASE_OP_READ && phase->op != PHASE_OP_MIXED) {
		error_set(
			err, ERROR_REFUSED,
			"a %s phase reads nothing that could be verified: use verify in a read or "
			"mixed phase",
			phase_op_names[phase->op]);
		return -1;
	}
	if (check_data(phase, err))
		return -1;
	if (phase->targets_count > MOST_THREADS / phase->workers) {
		error_set(err, ERROR_REFUSED,
			  "%u workers on each of %u targets are more than %d threads: use fewer "
			  "workers",
			  phase->workers, phase->targets_count, MOST_THREADS);
		return -1;
	}
	return 0;
}

/* Each part is looked up among all targets and held against all other parts. */
static int check_counts(const struct prepare *prepare, struct error *err)
{
	uint64_t parts = 0;

	if (prepare->targets_count > MOST_TARGETS)
		return refuse(err, "a host has at most 4096 targets");
	for (uint32_t i = 0; i < prepare->targets_count; i++)
		parts += prepare->targets[i].stripe_count;
	if (parts > MOST_TARGETS)
		return refuse(err, "the stripes of a host have at most 4096 parts: use fewer");
	return 0;
}

int phase_check(const struct prepare *prepare, struct error *err)
{
	const struct phase *phase = &prepare->phase;

	if (check_times(prepare, err) || check_shape(phase, err) || check_mix(phase, err) ||
	    check_rate(phase, err) || check_syncs(phase, err) || check_counts(prepare, err))
		return -1;
	return 0;
}
