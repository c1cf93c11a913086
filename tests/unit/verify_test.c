/* Verification from the write to the verdict, on real files: whatever wrote them in whatever order,
 * what is read is right; and what is then damaged is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "agent/engine/engine.h"
#include "agent/evidence.h"
#include "common/pattern.h"
#include "tests/unit/phase_scene.h"

static const struct pattern_shape plain;

static struct scene scene;
static char work[128];
static struct name stripe_parts[] = {{"a"}, {"b"}};

static int set_up(void **state)
{
	(void)state;
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir -p '%s'", work))
		return -1;
	scene_init(&scene, work);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scene_release(&scene);
	return 0;
}

/* ---- phases ---- */

/* One after another, each with a number of its own, as in a run. */
static void run_phase(const struct phase *how, struct done *done)
{
	struct timeline timeline;
	struct phase phase = *how;

	phase.name = "p";
	phase.targets = scene.names;
	phase.targets_count = scene.prepare.phase.targets_count;
	phase.direct = PHASE_DIRECT_PREFER;
	phase.read_percent = 50;
	phase.workers = how->workers ? how->workers : 1;
	phase.queue_depth = how->queue_depth ? how->queue_depth : 1;
	scene.prepare.phase = phase;
	scene.prepare.number++;
	scene_finish(scene_ready(&scene), &timeline, done);
	assert_int_equal(done->state, DONE_COMPLETE);
	record_release(&timeline_table, &timeline);
}

static void load(const struct phase *how)
{
	struct done done;

	run_phase(how, &done);
	record_release(&done_table, &done);
}

static struct miscompares verify(uint64_t block_size, struct done *done)
{
	const struct phase how = {.op = PHASE_OP_READ,
				  .verify = true,
				  .block_size = block_size,
				  .size_bytes = 2 * MIB};

	run_phase(&how, done);
	return done->targets[0].miscompares;
}

static void assert_all_right(void)
{
	static const uint64_t blocks[] = {6 * KIB, 96 * KIB, MIB};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct done done;
		struct miscompares m = verify(blocks[i], &done);
		if (m.blocks)
			fail_msg("%llu bad blocks; the first: %s", (unsigned long long)m.blocks,
				 m.first);
		assert_int_equal(m.verified_bytes, done.targets[0].bytes_read);
		assert_true(m.verified_bytes > 0);
		assert_null(m.evidence);
		record_release(&done_table, &done);
	}
}

/* ---- what wrote it does not matter ---- */

static void what_any_phases_wrote_is_right(void **state)
{
	(void)state;
	static struct block_share mix[] = {{1536, 20}, {4 * KIB, 50}, {64 * KIB, 30}};
	static const struct phase shapes[] = {
		{.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB},
		{.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .runtime = 50 * NS_PER_MS},
		{.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = MIB, .workers = 3},
		{.op = PHASE_OP_WRITE,
		 .block_size = 16 * KIB,
		 .runtime = 80 * NS_PER_MS,
		 .workers = 5},
		{.op = PHASE_OP_WRITE,
		 .block_size = 16 * KIB,
		 .runtime = 80 * NS_PER_MS,
		 .workers = 5,
		 .split = PHASE_SPLIT_INTERLEAVED},
		{.op = PHASE_OP_WRITE,
		 .block_size = 4 * KIB,
		 .size_bytes = 5 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .workers = 2},
		{.op = PHASE_OP_WRITE,
		 .block_size = 96 * KIB,
		 .size_bytes = 13 * 96 * KIB,
		 .workers = 4,
		 .split = PHASE_SPLIT_INTERLEAVED},
		{.op = PHASE_OP_WRITE,
		 .block_size = 64 * KIB,
		 .runtime = 50 * NS_PER_MS,
		 .workers = 3,
		 .queue_depth = 16},
		{.op = PHASE_OP_WRITE,
		 .block_size = 8 * KIB,
		 .size_bytes = 5 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .queue_depth = 16},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 5 * MIB,
		 .workers = 3,
		 .queue_depth = 8,
		 .verify = true},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 3 * MIB,
		 .workers = 3,
		 .verify = true},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .verify = true},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .runtime = 60 * NS_PER_MS,
		 .access = PHASE_ACCESS_RANDOM,
		 .workers = 7,
		 .verify = true},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .runtime = 60 * NS_PER_MS,
		 .access = PHASE_ACCESS_RANDOM,
		 .split = PHASE_SPLIT_INTERLEAVED,
		 .workers = 3,
		 .verify = true},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 2 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .workers = 4},
		{.op = PHASE_OP_WRITE,
		 .block_size = 8 * KIB,
		 .size_bytes = 4 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .coverage = PHASE_COVERAGE_FULL,
		 .workers = 3},
		{.op = PHASE_OP_WRITE,
		 .block_size = 16 * KIB,
		 .runtime = 50 * NS_PER_MS,
		 .access = PHASE_ACCESS_RANDOM,
		 .coverage = PHASE_COVERAGE_FULL,
		 .workers = 3,
		 .queue_depth = 8},
		{.op = PHASE_OP_WRITE,
		 .block_size = 8 * KIB,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .coverage = PHASE_COVERAGE_FULL,
		 .workers = 5,
		 .split = PHASE_SPLIT_INTERLEAVED},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 5 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .coverage = PHASE_COVERAGE_FULL,
		 .workers = 3,
		 .queue_depth = 8,
		 .verify = true},
		{.op = PHASE_OP_WRITE,
		 .block_size = 64 * KIB,
		 .block_mix = mix,
		 .block_mix_count = 3,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .workers = 3},
		{.op = PHASE_OP_MIXED,
		 .block_size = 64 * KIB,
		 .block_mix = mix,
		 .block_mix_count = 3,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .verify = true},
		{.op = PHASE_OP_WRITE,
		 .block_size = 64 * KIB,
		 .size_bytes = 2 * MIB,
		 .rate_operations = 2000,
		 .sync_every = 8},
	};
	const size_t count = sizeof(shapes) / sizeof(shapes[0]);
	struct error why;
	bool has_depth = engine_uring.probe(&why) == 0;
	scene_file(&scene, "t", 2 * MIB, true);
	for (size_t i = 0; i < count + count / 2; i++) {
		struct done done;
		if (shapes[i * 7 % count].queue_depth && !has_depth)
			continue;
		run_phase(&shapes[i * 7 % count], &done);
		if (done.targets[0].miscompares.blocks)
			fail_msg("shape %zu: %s", i * 7 % count, done.targets[0].miscompares.first);
		if (shapes[i * 7 % count].verify)
			assert_int_equal(done.targets[0].miscompares.verified_bytes,
					 done.targets[0].bytes_read);
		record_release(&done_table, &done);
		assert_all_right();
	}
}

/* Whatever data phases write one after another, in whatever order. */
static void what_is_of_any_shape_is_right(void **state)
{
	(void)state;
	static const struct pattern_shape data[] = {
		{.compress = 50},
		{.dedupe = 50},
		{.dedupe = 95, .compress = 30},
		{.source = PATTERN_AES_CTR},
		{.source = PATTERN_AES_CTR, .dedupe = 20, .compress = 70},
		{0},
	};
	static const struct phase shapes[] = {
		{.op = PHASE_OP_WRITE, .block_size = 96 * KIB, .runtime = 40 * NS_PER_MS},
		{.op = PHASE_OP_MIXED,
		 .block_size = 8 * KIB,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM,
		 .verify = true},
		{.op = PHASE_OP_WRITE,
		 .block_size = 1536 * KIB,
		 .size_bytes = 3 * MIB,
		 .access = PHASE_ACCESS_RANDOM},
	};
	scene_file(&scene, "t", 3 * MIB, true);
	for (size_t i = 0; i < 18; i++) {
		struct phase how = shapes[i % 3];
		struct pattern_shape shape = data[i * 5 % 6];
		how.pattern = shape.source;
		how.compress = shape.compress;
		how.dedupe = shape.dedupe;
		load(&how);
		assert_all_right();
	}
}

static void change_file(const char *name, uint64_t at, const void *data, size_t size)
{
	char *path = scene_path(&scene, name);
	int fd = open(path, O_RDWR);

	assert_int_equal(pwrite(fd, data, size, (off_t)at), size);
	assert_int_equal(fsync(fd), 0);
	close(fd);
	free(path);
}

/* In copies and beside them. */
static void damage_to_copies_is_named(void **state)
{
	(void)state;
	const struct phase write = {.op = PHASE_OP_WRITE,
				    .block_size = 64 * KIB,
				    .size_bytes = 4 * MIB,
				    .dedupe = 40,
				    .compress = 50};
	static unsigned char block[64 * KIB];
	struct pattern_key key = pattern_key(7, pattern_owner("h", "t"), 0, phase_shape(&write));
	struct done done;

	scene_file(&scene, "t", 2 * MIB, true);
	load(&write); /* two passes; copies in [0, 1 MiB) */
	change_file("t", 64 * KIB + 511, "!", 1);
	change_file("t", 1800 * KIB + 511, "!", 1);
	pattern_fill(block, sizeof(block), key, 1024 * KIB);
	change_file("t", 1024 * KIB, block, sizeof(block)); /* as the first pass had it */
	pattern_fill(block, sizeof(block), key, 512 * KIB);
	change_file("t", 1536 * KIB, block, sizeof(block)); /* a copy where there is none */
	pattern_fill(block, sizeof(block), key, 0);
	change_file("t", 256 * KIB, block, sizeof(block)); /* the wrong part of a copy */
	struct miscompares m = verify(64 * KIB, &done);
	assert_int_equal(m.blocks, 5);
	assert_int_equal(m.bit_flips, 2);
	assert_int_equal(m.stale, 1);
	assert_int_equal(m.misdirected, 2);
	assert_int_equal(m.first_offset, 64 * KIB + 511);
	unlink(m.evidence);
	record_release(&done_table, &done);
}

static void use(const char *name)
{
	scene.names[0].name = (char *)name;
	scene.prepare.phase.targets_count = 1;
}

/* Whoever writes a part, and through what: it is the part's data. */
static void a_stripe_and_its_parts_are_of_one_kind(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = MIB};
	const struct phase random = {.op = PHASE_OP_WRITE,
				     .block_size = 192 * KIB,
				     .size_bytes = MIB,
				     .access = PHASE_ACCESS_RANDOM};
	static const char *const names[] = {"s", "a", "b"};
	scene_file(&scene, "a", 2 * MIB, false);
	scene_file(&scene, "b", 2 * MIB, false);
	struct target *stripe = scene_target(&scene, "s", false);
	stripe->stripe = stripe_parts;
	stripe->stripe_count = 2;
	for (size_t i = 0; i < 9; i++) {
		use(names[i % 3]);
		load(i % 2 ? &write : &random);
		for (size_t k = 0; k < 3; k++) {
			use(names[k]);
			assert_all_right();
		}
	}
}

/* ---- damage ---- */

static void read_file(const char *path, uint64_t at, void *into, size_t size)
{
	int fd = open(path, O_RDONLY);

	assert_int_equal(pread(fd, into, size, (off_t)at), size);
	close(fd);
}

static void wrong_blocks_are_counted_and_kept(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	static const char zeros[512];
	static unsigned char block[4 * KIB], found[4 * KIB];
	struct done done;
	char head[EVIDENCE_HEAD];
	scene_file(&scene, "t", 2 * MIB, true);
	load(&write);
	for (uint64_t k = 20; k; k--)
		change_file("t", k * 65536 + 512, zeros, 512);
	struct miscompares m = verify(4 * KIB, &done);
	assert_int_equal(m.verified_bytes, 2 * MIB);
	assert_int_equal(m.blocks, 20);
	assert_int_equal(m.zeros, 20);
	assert_in_range(m.first_offset, 65536 + 512, 65536 + 520);
	assert_non_null(strstr(m.first, "block of 4096 bytes at offset 65536"));
	assert_non_null(strstr(m.first, "zeros"));
	assert_int_equal(done.targets[0].errors, 0);
	assert_non_null(m.evidence);
	read_file(m.evidence, 0, head, sizeof(head));
	assert_memory_equal(head, m.first, strlen(m.first));
	read_file(m.evidence, EVIDENCE_HEAD, found, sizeof(found));
	pattern_fill(block, sizeof(block), pattern_key(7, pattern_owner("h", "t"), 0, plain),
		     65536);
	assert_memory_equal(found, block, sizeof(block));
	read_file(m.evidence, EVIDENCE_HEAD + sizeof(found), found, sizeof(found));
	memset(block + 512, 0, 512);
	assert_memory_equal(found, block, sizeof(block));
	int fd = open(m.evidence, O_RDONLY);
	assert_int_equal(lseek(fd, 0, SEEK_END),
			 EVIDENCE_BLOCKS_MOST * (EVIDENCE_HEAD + 2 * sizeof(block)));
	close(fd);
	unlink(m.evidence);
	record_release(&done_table, &done);
}

/* Each pass is a generation: a block that a pass has missed is known by it. */
static void a_lost_write_is_stale_or_torn(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 5 * MIB};
	static unsigned char old[64 * KIB];
	struct done done;
	scene_file(&scene, "t", 2 * MIB, true);
	load(&write); /* generation 2 up to 1 MiB, then 1 */
	struct pattern_key key = pattern_key(7, pattern_owner("h", "t"), 1, plain);
	pattern_fill(old, sizeof(old), key, 256 * KIB);
	change_file("t", 256 * KIB, old, sizeof(old));
	pattern_fill(old, 4096, key, 900 * KIB);
	change_file("t", 900 * KIB, old, 4096);
	struct miscompares m = verify(64 * KIB, &done);
	assert_int_equal(m.blocks, 2);
	assert_int_equal(m.stale, 1);
	assert_int_equal(m.torn, 1);
	assert_in_range(m.first_offset, 256 * KIB, 256 * KIB + 8);
	assert_non_null(strstr(m.first, "generation 1 where 2"));
	unlink(m.evidence);
	record_release(&done_table, &done);
}

static void another_place_is_named_through_a_stripe_too(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	static unsigned char block[4096];
	struct done done;
	scene_file(&scene, "a", 2 * MIB, false);
	scene_file(&scene, "b", 2 * MIB, false);
	struct target *stripe = scene_target(&scene, "s", false);
	stripe->stripe = stripe_parts;
	stripe->stripe_count = 2;
	use("s");
	load(&write);
	/* unit 3 of the stripe is unit 1 of b */
	pattern_fill(block, sizeof(block), pattern_key(7, pattern_owner("h", "a"), 0, plain), 8192);
	change_file("b", 128 * KIB + 4096, block, sizeof(block));
	struct miscompares m = verify(MIB, &done);
	assert_int_equal(m.blocks, 1);
	assert_int_equal(m.misdirected, 1);
	assert_in_range(m.first_offset, 3 * 128 * KIB + 4096, 3 * 128 * KIB + 4104);
	assert_true(m.first_owner == pattern_owner("h", "a"));
	assert_non_null(strstr(m.first, "on part 'b'"));
	assert_non_null(strstr(m.first, "offset 8192 of another target"));
	unlink(m.evidence);
	record_release(&done_table, &done);
}

/* ---- what cannot be verified ---- */

static void assert_refused(const char *wanted)
{
	char *text = scene_refusal(&scene);

	if (!strstr(text, wanted))
		fail_msg("'%s' is not in: %s", wanted, text);
	free(text);
}

static void zeros_are_written_and_not_verified(void **state)
{
	(void)state;
	const struct phase zeros = {.op = PHASE_OP_WRITE,
				    .block_size = 64 * KIB,
				    .size_bytes = MIB,
				    .pattern = PHASE_PATTERN_ZEROS};
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	static const unsigned char none[64 * KIB];
	static unsigned char block[64 * KIB];
	scene_file(&scene, "t", 2 * MIB, true);
	load(&write);
	load(&zeros);
	char *path = scene_path(&scene, "t");
	read_file(path, MIB - sizeof(block), block, sizeof(block));
	assert_memory_equal(block, none, sizeof(block));
	free(path);
	scene.prepare.phase = (struct phase){.name = "p",
					     .targets = scene.names,
					     .targets_count = 1,
					     .block_size = 4096,
					     .workers = 1,
					     .queue_depth = 1,
					     .direct = PHASE_DIRECT_PREFER,
					     .size_bytes = 2 * MIB,
					     .verify = true};
	assert_refused("zeros, which tell nothing");
	load(&write);
	assert_all_right();
}

static void what_cannot_be_verified_is_refused(void **state)
{
	(void)state;
	struct phase *phase = &scene.prepare.phase;
	scene_null(&scene, "n", MIB, true);
	phase->size_bytes = MIB;
	phase->verify = true;
	assert_refused("null");
	phase->op = PHASE_OP_WRITE;
	assert_refused("a write phase reads nothing");
	phase->op = PHASE_OP_READ;
	phase->pattern = PHASE_PATTERN_ZEROS;
	assert_refused("zeros tell nothing");
	phase->pattern = PHASE_PATTERN_RANDOM;
	scene_file(&scene, "t", MIB, false);
	use("t");
	phase->op = PHASE_OP_MIXED;
	phase->access = PHASE_ACCESS_RANDOM;
	phase->queue_depth = 2;
	assert_refused("reads could meet writes");
}

/* Two targets for one file: the last one's data are known, what is mixed is not. */
static void of_mixed_owners_nothing_is_known(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	const struct phase random = {.op = PHASE_OP_WRITE,
				     .block_size = 64 * KIB,
				     .size_bytes = MIB,
				     .access = PHASE_ACCESS_RANDOM};
	struct done done;
	scene_file(&scene, "t", 2 * MIB, true);
	load(&write);
	struct target *other = scene_file(&scene, "other", 2 * MIB, false);
	other->path = scene_path(&scene, "t");
	use("other");
	load(&write);
	assert_all_right();
	use("t");
	assert_all_right();
	load(&random);
	scene.prepare.phase = (struct phase){.name = "p",
					     .targets = scene.names,
					     .targets_count = 1,
					     .block_size = 4096,
					     .workers = 1,
					     .queue_depth = 1,
					     .direct = PHASE_DIRECT_PREFER,
					     .size_bytes = MIB,
					     .verify = true};
	assert_refused("two targets have written");
	load(&write);
	struct miscompares m = verify(4096, &done);
	assert_int_equal(m.blocks, 0);
	record_release(&done_table, &done);
	free(other->path);
}

/* ---- what an earlier run wrote ---- */

/* As a new lease of a restarted agent: it remembers nothing. */
static void start_again(const char *run, uint64_t seed)
{
	written_free(scene.written);
	scene.written = written_new();
	scene.prepare.run = (char *)run;
	scene.prepare.seed = seed;
}

static void expect(const char *run)
{
	scene.prepare.phase = (struct phase){.name = "p",
					     .targets = scene.names,
					     .targets_count = 1,
					     .block_size = 4096,
					     .workers = 1,
					     .queue_depth = 1,
					     .direct = PHASE_DIRECT_PREFER,
					     .size_bytes = 2 * MIB,
					     .expect = (char *)run,
					     .verify = true};
}

static struct miscompares verify_expected(const char *run, struct done *done)
{
	const struct phase how = {.block_size = 96 * KIB,
				  .verify = true,
				  .size_bytes = 2 * MIB,
				  .expect = (char *)run};

	run_phase(&how, done);
	return done->targets[0].miscompares;
}

static void a_later_run_knows_what_an_earlier_one_wrote(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB, .dedupe = 40};
	const struct phase random = {.op = PHASE_OP_WRITE,
				     .block_size = 64 * KIB,
				     .size_bytes = MIB,
				     .access = PHASE_ACCESS_RANDOM};
	struct done done;

	scene_file(&scene, "t", 2 * MIB, true);
	start_again("first", 7);
	load(&write);
	load(&random);
	for (int i = 0; i < 2; i++) {
		start_again("second", 8 + (uint64_t)i);
		struct miscompares m = verify_expected("first", &done);
		assert_int_equal(m.verified_bytes, 2 * MIB / (96 * KIB) * 96 * KIB);
		assert_int_equal(m.blocks, 0);
		record_release(&done_table, &done);
	}
	change_file("t", 300000, "!!!!", 4);
	struct miscompares m = verify_expected("first", &done);
	assert_int_equal(m.blocks, 1);
	assert_int_equal(m.first_offset, 300000);
	unlink(m.evidence);
	record_release(&done_table, &done);
}

static void what_is_not_known_cannot_be_expected(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	const struct phase less = {.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = MIB};
	const struct phase read = {.block_size = 64 * KIB, .size_bytes = 2 * MIB};

	scene_file(&scene, "t", 2 * MIB, true);
	expect("first");
	assert_refused("is not there");
	start_again("first", 7);
	load(&less);
	start_again("second", 8);
	expect("another");
	assert_refused("was last written by run 'first'");
	expect("first");
	assert_refused("has not written to");
	start_again("second", 8);
	load(&write);
	expect("first");
	assert_refused("this run has written");
	start_again("third", 9);
	load(&read); /* lays it out, since it did not say that the data are there */
	start_again("fourth", 10);
	expect("second");
	assert_refused("was last written by run 'third'");
	expect("third");
	scene.prepare.phase.op = PHASE_OP_MIXED;
	assert_refused("by a read phase only");
	scene_null(&scene, "n", MIB, false);
	use("n");
	expect("third");
	assert_refused("null holds no data");
}

/* An agent that is killed while a phase writes leaves nothing that would be believed. */
static void what_a_phase_is_writing_to_is_not_known(void **state)
{
	(void)state;
	const struct phase write = {
		.op = PHASE_OP_WRITE, .block_size = 64 * KIB, .size_bytes = 2 * MIB};
	struct phase_run *phase;

	scene_file(&scene, "t", 2 * MIB, true);
	start_again("first", 7);
	load(&write);
	start_again("second", 8);
	scene.prepare.phase.expect = NULL;
	phase = scene_ready(&scene); /* and is never started */
	phase_run_free(phase);
	start_again("third", 9);
	expect("first");
	assert_refused("nothing is known of what run 'first' wrote");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_any_phases_wrote_is_right, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_of_any_shape_is_right, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_to_copies_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stripe_and_its_parts_are_of_one_kind, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(wrong_blocks_are_counted_and_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_lost_write_is_stale_or_torn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_place_is_named_through_a_stripe_too, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(zeros_are_written_and_not_verified, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_verified_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_later_run_knows_what_an_earlier_one_wrote, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_known_cannot_be_expected, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_a_phase_is_writing_to_is_not_known, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(of_mixed_owners_nothing_is_known, set_up,
						tear_down),
	};

	test_folder_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
