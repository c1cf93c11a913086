/* Where I/O goes: each block once a pass, whatever the split and the remainder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "agent/offsets.h"
#include "common/memory.h"

#define BLOCK 4096

static struct phase make_phase(enum phase_op op, enum phase_access access, enum phase_split split,
			       uint32_t workers, uint64_t amount_blocks)
{
	return (struct phase){
		.op = op,
		.access = access,
		.split = split,
		.block_size = BLOCK,
		.workers = workers,
		.size_bytes = amount_blocks * BLOCK,
		.read_percent = 50,
	};
}

static const struct {
	uint64_t blocks;
	uint32_t workers, passes;
} shapes[] = {
	{1, 1, 1}, {4, 4, 1},    {5, 4, 1},     {6, 4, 1},   {7, 4, 1},   {8, 4, 1},    {10, 4, 3},
	{9, 2, 2}, {1000, 7, 1}, {1023, 64, 2}, {64, 64, 3}, {65, 64, 1}, {4099, 3, 1},
};

/* How often each block is visited by all workers together. */
static uint32_t *count_visits(const struct phase *phase, uint64_t blocks)
{
	uint32_t *visits = mem_new(blocks, sizeof(*visits));

	for (uint32_t w = 0; w < phase->workers; w++) {
		struct offsets offsets;
		struct place place;
		offsets_init(&offsets, phase, blocks * BLOCK, w, 1, 0);
		while (offsets_next(&offsets, &place)) {
			assert_int_equal(place.offset % BLOCK, 0);
			assert_true(place.offset / BLOCK < blocks);
			visits[place.offset / BLOCK]++;
		}
	}
	return visits;
}

static void sequential_workers_touch_each_block_once_a_pass(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (enum phase_split split = PHASE_SPLIT_REGIONS; split <= PHASE_SPLIT_INTERLEAVED;
		     split++) {
			uint64_t blocks = shapes[i].blocks;
			struct phase phase =
				make_phase(PHASE_OP_WRITE, PHASE_ACCESS_SEQUENTIAL, split,
					   shapes[i].workers, blocks * shapes[i].passes);
			uint32_t *visits = count_visits(&phase, blocks);
			for (uint64_t k = 0; k < blocks; k++)
				if (visits[k] != shapes[i].passes)
					fail_msg("%u workers, %u passes: block %llu of %llu was "
						 "visited %u times",
						 shapes[i].workers, shapes[i].passes,
						 (unsigned long long)k, (unsigned long long)blocks,
						 visits[k]);
			free(visits);
		}
	}
}

static void regions_are_contiguous_and_the_last_may_have_a_block_less(void **state)
{
	(void)state;
	struct phase phase =
		make_phase(PHASE_OP_READ, PHASE_ACCESS_SEQUENTIAL, PHASE_SPLIT_REGIONS, 4, 10);
	static const uint64_t first[] = {0, 3, 6, 8}, count[] = {3, 3, 2, 2};
	for (uint32_t w = 0; w < 4; w++) {
		struct offsets offsets;
		struct place place;
		offsets_init(&offsets, &phase, 10 * BLOCK, w, 1, 0);
		for (uint64_t k = 0; k < count[w]; k++) {
			assert_true(offsets_next(&offsets, &place));
			assert_int_equal(place.offset, (first[w] + k) * BLOCK);
		}
		assert_false(offsets_next(&offsets, &place));
	}
}

static void interleaved_worker_takes_every_nth_block(void **state)
{
	(void)state;
	struct phase phase =
		make_phase(PHASE_OP_READ, PHASE_ACCESS_SEQUENTIAL, PHASE_SPLIT_INTERLEAVED, 4, 0);
	struct offsets offsets;
	struct place place;
	static const uint64_t want[] = {2, 6, 2, 6, 2};
	offsets_init(&offsets, &phase, 10 * BLOCK, 2, 1, 7);
	for (int k = 0; k < 5; k++) {
		assert_true(offsets_next(&offsets, &place));
		assert_int_equal(place.offset, want[k] * BLOCK);
		assert_int_equal(place.generation, 7 + k / 2);
	}
}

static void amount_is_divided_in_whole_blocks(void **state)
{
	(void)state;
	static const uint64_t amounts[] = {7, 10, 13, 25, 40, 41};
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		struct phase phase = make_phase(PHASE_OP_READ, PHASE_ACCESS_RANDOM,
						PHASE_SPLIT_REGIONS, 4, amounts[i]);
		phase.size_bytes += BLOCK - 1; /* what is no whole block is not moved */
		uint64_t moved = 0, blocks = amounts[i] < 10 ? amounts[i] : 10;
		uint32_t *visits = count_visits(&phase, blocks);
		for (uint64_t k = 0; k < blocks; k++)
			moved += visits[k];
		assert_int_equal(moved, amounts[i]);
		free(visits);
	}
}

static void timed_worker_never_runs_out_and_begins_again_with_a_generation_more(void **state)
{
	(void)state;
	struct phase phase =
		make_phase(PHASE_OP_WRITE, PHASE_ACCESS_SEQUENTIAL, PHASE_SPLIT_REGIONS, 2, 0);
	struct offsets offsets;
	struct place place;
	offsets_init(&offsets, &phase, 6 * BLOCK, 1, 1, 0);
	for (uint64_t k = 0; k < 300; k++) {
		assert_true(offsets_next(&offsets, &place));
		assert_int_equal(place.offset, (3 + k % 3) * BLOCK);
		assert_int_equal(place.generation, k / 3);
		assert_int_equal(place.kind, IO_WRITE);
	}
}

static void random_reads_range_over_all_and_writes_over_the_region(void **state)
{
	(void)state;
	for (enum phase_split split = PHASE_SPLIT_REGIONS; split <= PHASE_SPLIT_INTERLEAVED;
	     split++) {
		struct phase phase = make_phase(PHASE_OP_MIXED, PHASE_ACCESS_RANDOM, split, 4, 0);
		struct offsets offsets;
		struct place place;
		uint32_t read_visits[21] = {0}, write_visits[21] = {0};
		offsets_init(&offsets, &phase, 21 * BLOCK, 1, 99, 0);
		for (int k = 0; k < 20000; k++) {
			assert_true(offsets_next(&offsets, &place));
			assert_true(place.offset < 21 * BLOCK);
			(place.kind == IO_READ ? read_visits
					       : write_visits)[place.offset / BLOCK]++;
		}
		for (uint64_t k = 0; k < 21; k++) {
			/* 21 over 4: regions have 6, 5, 5 and 5 blocks */
			bool own = split == PHASE_SPLIT_REGIONS ? k >= 6 && k < 11 : k % 4 == 1;
			assert_true(read_visits[k] > 0);
			assert_int_equal(write_visits[k] > 0, own);
		}
	}
}

static void mixed_reads_its_share(void **state)
{
	(void)state;
	static const uint32_t shares[] = {0, 1, 50, 70, 100};
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct phase phase = make_phase(PHASE_OP_MIXED, PHASE_ACCESS_SEQUENTIAL,
						PHASE_SPLIT_REGIONS, 1, 0);
		struct offsets offsets;
		struct place place;
		uint32_t read_count = 0;
		phase.read_percent = shares[i];
		offsets_init(&offsets, &phase, 8 * BLOCK, 0, 5, 0);
		for (int k = 0; k < 10000; k++) {
			offsets_next(&offsets, &place);
			read_count += place.kind == IO_READ;
		}
		/* five standard deviations of 10,000 fair draws are 250 */
		assert_in_range(read_count, shares[i] * 100 > 250 ? shares[i] * 100 - 250 : 0,
				shares[i] * 100 + (shares[i] % 100 ? 250 : 0));
	}
}

static void workers_and_seeds_have_orders_of_their_own(void **state)
{
	(void)state;
	struct phase phase =
		make_phase(PHASE_OP_READ, PHASE_ACCESS_RANDOM, PHASE_SPLIT_REGIONS, 2, 0);
	struct offsets a, b, c, again;
	struct place of_a, of_b, of_c, of_again;
	int same_worker = 0, same_seed = 0;
	offsets_init(&a, &phase, 1000 * BLOCK, 0, 1, 0);
	offsets_init(&again, &phase, 1000 * BLOCK, 0, 1, 0);
	offsets_init(&b, &phase, 1000 * BLOCK, 1, 1, 0);
	offsets_init(&c, &phase, 1000 * BLOCK, 0, 2, 0);
	for (int k = 0; k < 1000; k++) {
		offsets_next(&a, &of_a);
		offsets_next(&b, &of_b);
		offsets_next(&c, &of_c);
		offsets_next(&again, &of_again);
		assert_int_equal(of_a.offset, of_again.offset);
		same_worker += of_a.offset == of_b.offset;
		same_seed += of_a.offset == of_c.offset;
	}
	assert_true(same_worker < 20);
	assert_true(same_seed < 20);
}

/* SNIA's composite of sizes has ones that do not divide the largest. */
static struct block_share composite[] = {{512, 4},   {1024, 1},  {1536, 1},  {2048, 1},
					 {2560, 1},  {3072, 1},  {3584, 1},  {4096, 67},
					 {8192, 10}, {16384, 7}, {32768, 3}, {65536, 3}};

static struct phase make_mix(enum phase_op op, uint32_t workers)
{
	struct phase phase = make_phase(op, PHASE_ACCESS_RANDOM, PHASE_SPLIT_REGIONS, workers, 0);

	phase.block_size = 65536;
	phase.block_mix = composite;
	phase.block_mix_count = sizeof(composite) / sizeof(composite[0]);
	return phase;
}

/* Within five standard deviations of what is asked for. */
static void sizes_of_a_mix_come_as_often_as_asked(void **state)
{
	(void)state;
	enum { DRAWS = 200000 };
	uint64_t counts[PHASE_MIX_MOST] = {0};
	struct phase phase = make_mix(PHASE_OP_READ, 1);
	struct offsets offsets;
	struct place place;
	offsets_init(&offsets, &phase, 100 * 65536, 0, 3, 0);
	for (int i = 0; i < DRAWS; i++) {
		assert_true(offsets_next(&offsets, &place));
		assert_int_equal(place.length, composite[place.size].size);
		counts[place.size]++;
	}
	for (uint32_t i = 0; i < phase.block_mix_count; i++) {
		double share = composite[i].share / 100.0, want = DRAWS * share;
		double off = (double)counts[i] - want;
		if (off * off > 25 * want * (1 - share))
			fail_msg("%llu bytes: %llu of %d, wanted about %.0f",
				 (unsigned long long)composite[i].size,
				 (unsigned long long)counts[i], DRAWS, want);
	}
}

static void blocks_of_a_mix_lie_at_multiples_of_their_size(void **state)
{
	(void)state;
	static const enum phase_op ops[] = {PHASE_OP_READ, PHASE_OP_WRITE, PHASE_OP_MIXED};
	for (size_t k = 0; k < 9; k++) {
		struct phase phase = make_mix(ops[k % 3], 3);
		struct offsets offsets;
		struct place place;
		bool last = false;
		offsets_init(&offsets, &phase, 10 * 65536, (uint32_t)k / 3, 3, 0);
		uint64_t first = offsets.first * 65536, end = first + offsets.count * 65536;
		for (int i = 0; i < 20000; i++) {
			offsets_next(&offsets, &place);
			uint64_t from = place.kind == IO_READ ? 0 : first;
			uint64_t to = place.kind == IO_READ ? 10 * 65536 : end;
			assert_true(place.offset >= from && place.offset + place.length <= to);
			assert_int_equal((place.offset - from) % place.length, 0);
			last |= place.offset + place.length == to;
		}
		assert_true(last);
	}
}

/* Too much by less than a block for each worker, never too little. */
static void a_mix_moves_its_amount(void **state)
{
	(void)state;
	struct phase phase = make_mix(PHASE_OP_READ, 4);
	uint64_t moved = 0, amount = UINT64_C(25) * 65536;
	phase.size_bytes = amount;
	for (uint32_t w = 0; w < 4; w++) {
		struct offsets offsets;
		struct place place;
		offsets_init(&offsets, &phase, 10 * 65536, w, 3, 0);
		while (offsets_next(&offsets, &place))
			moved += place.length;
	}
	assert_in_range(moved, amount, amount + UINT64_C(4) * 65535);
}

/* Both kinds of I/O, whatever the split and the remainder; each pass in another order. */
static void full_coverage_visits_each_block_once_a_pass(void **state)
{
	(void)state;
	static const enum phase_op ops[] = {PHASE_OP_READ, PHASE_OP_WRITE, PHASE_OP_MIXED,
					    PHASE_OP_TRIM};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (size_t k = 0; k < 8; k++) {
			uint64_t blocks = shapes[i].blocks;
			struct phase phase =
				make_phase(ops[k / 2], PHASE_ACCESS_RANDOM,
					   k % 2 ? PHASE_SPLIT_INTERLEAVED : PHASE_SPLIT_REGIONS,
					   shapes[i].workers, blocks * shapes[i].passes);
			phase.coverage = PHASE_COVERAGE_FULL;
			uint32_t *visits = count_visits(&phase, blocks);
			for (uint64_t b = 0; b < blocks; b++)
				assert_int_equal(visits[b], shapes[i].passes);
			free(visits);
		}
}

static void passes_of_full_coverage_have_orders_of_their_own(void **state)
{
	(void)state;
	enum { BLOCKS = 1000 };
	struct phase phase =
		make_phase(PHASE_OP_WRITE, PHASE_ACCESS_RANDOM, PHASE_SPLIT_REGIONS, 1, 0);
	struct offsets offsets;
	struct place place;
	uint64_t first[BLOCKS];
	uint32_t alike = 0, in_sequence = 0;
	phase.coverage = PHASE_COVERAGE_FULL;
	offsets_init(&offsets, &phase, BLOCKS * BLOCK, 0, 1, 5);
	for (int i = 0; i < 2 * BLOCKS; i++) {
		assert_true(offsets_next(&offsets, &place));
		assert_int_equal(place.generation, 5 + i / BLOCKS);
		if (i < BLOCKS)
			first[i] = place.offset;
		else
			alike += first[i - BLOCKS] == place.offset;
		in_sequence += i < BLOCKS && i && first[i] == first[i - 1] + BLOCK;
	}
	assert_true(alike < 20 && in_sequence < 20);
}

static void a_fill_writes_each_block_its_number_of_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int k = 0; k < 4; k++) {
			uint64_t blocks = shapes[i].blocks;
			struct phase phase =
				make_phase(PHASE_OP_FILL,
					   k % 2 ? PHASE_ACCESS_RANDOM : PHASE_ACCESS_SEQUENTIAL,
					   k / 2 ? PHASE_SPLIT_INTERLEAVED : PHASE_SPLIT_REGIONS,
					   shapes[i].workers, 0);
			phase.passes = shapes[i].passes;
			uint32_t *visits = count_visits(&phase, blocks);
			for (uint64_t b = 0; b < blocks; b++)
				assert_int_equal(visits[b], shapes[i].passes);
			free(visits);
		}
}

static void a_trim_without_an_end_visits_each_block_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int k = 0; k < 2; k++) {
			struct phase phase = make_phase(
				PHASE_OP_TRIM, k ? PHASE_ACCESS_RANDOM : PHASE_ACCESS_SEQUENTIAL,
				PHASE_SPLIT_REGIONS, shapes[i].workers, 0);
			phase.runtime = i % 2 * UINT64_C(3600000000000);
			uint32_t *visits = count_visits(&phase, shapes[i].blocks);
			for (uint64_t b = 0; b < shapes[i].blocks; b++)
				assert_int_equal(visits[b], 1);
			free(visits);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_workers_touch_each_block_once_a_pass),
		cmocka_unit_test(regions_are_contiguous_and_the_last_may_have_a_block_less),
		cmocka_unit_test(interleaved_worker_takes_every_nth_block),
		cmocka_unit_test(amount_is_divided_in_whole_blocks),
		cmocka_unit_test(
			timed_worker_never_runs_out_and_begins_again_with_a_generation_more),
		cmocka_unit_test(random_reads_range_over_all_and_writes_over_the_region),
		cmocka_unit_test(mixed_reads_its_share),
		cmocka_unit_test(workers_and_seeds_have_orders_of_their_own),
		cmocka_unit_test(sizes_of_a_mix_come_as_often_as_asked),
		cmocka_unit_test(blocks_of_a_mix_lie_at_multiples_of_their_size),
		cmocka_unit_test(a_mix_moves_its_amount),
		cmocka_unit_test(full_coverage_visits_each_block_once_a_pass),
		cmocka_unit_test(passes_of_full_coverage_have_orders_of_their_own),
		cmocka_unit_test(a_fill_writes_each_block_its_number_of_passes),
		cmocka_unit_test(a_trim_without_an_end_visits_each_block_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
