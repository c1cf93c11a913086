/* A controller that asks for nonsense is told so, whatever plan it read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/phase_check.h"
#include "common/clock.h"

static struct block_share mix[PHASE_MIX_MOST + 1];

static struct prepare legal(void)
{
	mix[0] = (struct block_share){.size = 4096, .share = 30};
	mix[1] = (struct block_share){.size = 65536, .share = 70};
	return (struct prepare){
		.phase = {.op = PHASE_OP_WRITE,
			  .access = PHASE_ACCESS_RANDOM,
			  .block_size = 65536,
			  .runtime = NS_PER_S,
			  .workers = 2,
			  .queue_depth = 1,
			  .block_mix = mix,
			  .targets_count = 1},
		.bucket_ns = 100 * NS_PER_MS,
	};
}

#define CHANGE(name, ...)                                                                          \
	static void name(struct prepare *prepare)                                                  \
	{                                                                                          \
		struct phase *phase = &prepare->phase;                                             \
		(void)phase;                                                                       \
		__VA_ARGS__                                                                        \
	}

CHANGE(fill_with_runtime, phase->op = PHASE_OP_FILL; phase->passes = 1;)
CHANGE(long_ramp, phase->ramp = UINT64_MAX;)
CHANGE(short_bucket, prepare->bucket_ns = NS_PER_MS - 1;)
CHANGE(many_buckets, phase->runtime = UINT64_C(1) << 60; prepare->bucket_ns = NS_PER_MS;)
CHANGE(large_block, phase->block_size = (1U << 30) + 512;)
CHANGE(many_workers, phase->workers = 1025;)
CHANGE(deep_queue, phase->queue_depth = 4097;)
CHANGE(much_reading, phase->read_percent = 101;)
CHANGE(verify_writes, phase->verify = true;)
CHANGE(much_compress, phase->compress = 91;)
CHANGE(zeros_alike, phase->pattern = PHASE_PATTERN_ZEROS; phase->dedupe = 10;)
CHANGE(verify_zeros, phase->op = PHASE_OP_READ; phase->pattern = PHASE_PATTERN_ZEROS;
       phase->verify = true;)
CHANGE(long_mix, phase->block_mix_count = PHASE_MIX_MOST + 1;)
CHANGE(sequential_mix, phase->block_mix_count = 2; phase->access = PHASE_ACCESS_SEQUENTIAL;)
CHANGE(covering_mix, phase->block_mix_count = 2; phase->coverage = PHASE_COVERAGE_FULL;)
CHANGE(odd_mix, phase->block_mix_count = 2; mix[0].size = 1000;)
CHANGE(half_mix, phase->block_mix_count = 2; mix[1].share = 20;)
CHANGE(small_mix, phase->block_mix_count = 2; phase->block_size = 131072;)
CHANGE(two_rates, phase->rate_bytes = phase->rate_operations = 1 << 20;)
CHANGE(slow_rate, phase->rate_bytes = 1;)
CHANGE(endless_idle, phase->op = PHASE_OP_IDLE; phase->runtime = 0; phase->size_bytes = 4096;)
CHANGE(synced_trim, phase->op = PHASE_OP_TRIM; phase->sync = PHASE_SYNC_EACH;)
CHANGE(synced_reads, phase->op = PHASE_OP_READ; phase->sync_every = 8;)
CHANGE(many_targets, prepare->targets_count = 4097;)

static const struct {
	void (*change)(struct prepare *prepare);
	const char *want;
} rows[] = {
	{fill_with_runtime, "neither size nor runtime"},
	{long_ramp, "36 years"},
	{short_bucket, "100 ms"},
	{many_buckets, "too many timeline buckets"},
	{large_block, "the nearest is 1073741824"},
	{many_workers, "1 to 1024"},
	{deep_queue, "1 to 4096"},
	{much_reading, "0 % to 100 %"},
	{verify_writes, "a write phase reads nothing"},
	{much_compress, "at most 90 %"},
	{zeros_alike, "leave compress and dedupe out"},
	{verify_zeros, "leave verify out"},
	{long_mix, "at most 16 block sizes"},
	{sequential_mix, "random access with split: regions"},
	{covering_mix, "does not cover each block once"},
	{odd_mix, "multiples of 512 bytes"},
	{half_mix, "add up to 100 %"},
	{small_mix, "its largest size is the block size"},
	{two_rates, "not of both"},
	{slow_rate, "less than an I/O a minute"},
	{endless_idle, "an idle phase has no runtime"},
	{synced_trim, "no writes to sync"},
	{synced_reads, "for phases that write"},
	{many_targets, "at most 4096 targets"},
};

static void what_makes_sense_is_taken(void **state)
{
	struct prepare plain = legal(), mixed = legal();
	struct error err;

	(void)state;
	mixed.phase.block_mix_count = 2;
	assert_int_equal(phase_check(&plain, &err), 0);
	assert_int_equal(phase_check(&mixed, &err), 0);
}

static void what_makes_none_is_refused_with_what_would(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct prepare prepare = legal();
		struct error err = {0};

		rows[i].change(&prepare);
		if (phase_check(&prepare, &err) != -1 || err.kind != ERROR_REFUSED ||
		    !strstr(err.text, rows[i].want))
			fail_msg("row %zu: want '%s' in '%s'", i, rows[i].want, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_makes_sense_is_taken),
		cmocka_unit_test(what_makes_none_is_refused_with_what_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
