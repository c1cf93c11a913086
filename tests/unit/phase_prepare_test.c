/* What an agent refuses before any I/O, and that each refusal says what would be legal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/phase_scene.h"

static struct scene scene;
static char work[128];

/* `words`: each of them, up to the NULL, must be in the text. */
struct row {
	const char *what;
	void (*change)(struct scene *s);
	const char *words[4];
};

static void no_end(struct scene *s)
{
	s->prepare.phase.size_bytes = 0;
}

static void ramp_alone(struct scene *s)
{
	s->prepare.phase.ramp = NS_PER_S;
}

static void odd_block(struct scene *s)
{
	s->prepare.phase.block_size = 1000;
}

static void no_workers(struct scene *s)
{
	s->prepare.phase.workers = 0;
}

static void no_bucket(struct scene *s)
{
	s->prepare.bucket_ns = 0;
}

static void no_target(struct scene *s)
{
	s->prepare.phase.targets_count = 0;
}

static void unknown_target(struct scene *s)
{
	s->names[0].name = "nowhere";
}

static void unnamed_target(struct scene *s)
{
	s->names[0].name = NULL;
}

static void target_twice(struct scene *s)
{
	s->names[s->prepare.phase.targets_count++].name = "a";
}

static void few_blocks(struct scene *s)
{
	s->prepare.phase.workers = 64;
	s->prepare.phase.size_bytes = 5 * 64 * KIB + 100;
}

static void deep_queue(struct scene *s)
{
	s->prepare.phase.engine = PHASE_ENGINE_SYNC;
	s->prepare.phase.queue_depth = 4;
}

static void no_size(struct scene *s)
{
	s->targets[0].size_bytes = 0;
	s->prepare.phase.size_bytes = 0;
	s->prepare.phase.runtime = NS_PER_S;
}

static void too_large(struct scene *s)
{
	s->targets[0].size_bytes = s->prepare.phase.size_bytes = UINT64_C(1) << 55;
}

static void beyond_offsets(struct scene *s)
{
	s->targets[0].size_bytes = s->prepare.phase.size_bytes = UINT64_MAX;
}

/* Together 2^64 bytes, which is 0. */
static void too_large_together(struct scene *s)
{
	static const char *const names[] = {"b", "c", "d"};

	s->targets[0].size_bytes = s->prepare.phase.size_bytes = UINT64_C(1) << 62;
	for (int i = 0; i < 3; i++)
		scene_file(s, names[i], UINT64_C(1) << 62, true);
}

static void many_targets(struct scene *s)
{
	static struct target many[5000];

	many[0] = s->targets[0];
	s->prepare.targets = many;
	s->prepare.targets_count = 5000;
}

static void many_parts(struct scene *s)
{
	static struct name many[5000];
	struct target *stripe = scene_target(s, "s", true);

	stripe->stripe = many;
	stripe->stripe_count = 5000;
	for (int i = 0; i < 5000; i++)
		many[i].name = "a";
}

static void two_kinds(struct scene *s)
{
	s->targets[0].null = true;
}

static void no_kind(struct scene *s)
{
	s->targets[0].path = NULL;
}

static void no_memory(struct scene *s)
{
	s->config.memory = 64 * KIB;
}

static void many_threads(struct scene *s)
{
	static char names[5][2] = {"b", "c", "d", "e", "f"};

	s->prepare.phase.workers = 1024;
	for (int i = 0; i < 5; i++)
		s->names[s->prepare.phase.targets_count++].name = names[i];
}

static void unlisted(struct scene *s)
{
	s->targets[0].path = "/etc";
}

static void device_unlisted(struct scene *s)
{
	s->targets[0].path = NULL;
	s->targets[0].device = "/dev/zero";
}

/* ---- stripes: "s" over "a" and another ---- */

static struct name stripe_parts[2];

static struct target *stripe_over(struct scene *s, const char *first, const char *second)
{
	struct target *stripe = scene_target(s, "s", true);

	stripe_parts[0].name = (char *)first;
	stripe_parts[1].name = (char *)second;
	stripe->stripe = stripe_parts;
	stripe->stripe_count = 2;
	return stripe;
}

static void stripe_over_nowhere(struct scene *s)
{
	stripe_over(s, "a", "nowhere");
}

static void stripe_over_itself(struct scene *s)
{
	stripe_over(s, "a", "s");
}

static void stripe_twice_over_one(struct scene *s)
{
	stripe_over(s, "a", "a");
}

static void stripe_of_null_and_file(struct scene *s)
{
	scene_null(s, "n", MIB, false);
	stripe_over(s, "a", "n");
}

static void stripe_odd_unit(struct scene *s)
{
	scene_file(s, "b", 8 * MIB, false);
	stripe_over(s, "a", "b")->stripe_unit = 1000;
}

static void stripe_small_unit(struct scene *s)
{
	scene_file(s, "b", 8 * MIB, false);
	stripe_over(s, "a", "b")->stripe_unit = 512;
	s->prepare.phase.block_size = 4 * MIB;
}

static void one_file_twice(struct scene *s)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/same", work);
	scene_file(s, "b", 8 * MIB, true)->path = path;
	s->targets[0].path = path;
}

static void foreign_file(struct scene *s)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/foreign", work);
	run("echo precious > '%s'", path);
	s->targets[0].path = path;
}

static const struct row rows[] = {
	{"neither size nor runtime", no_end, {"neither size nor runtime"}},
	{"ramp without runtime", ramp_alone, {"ramp", "runtime"}},
	{"block size 1000", odd_block, {"1000", "512"}},
	{"no workers", no_workers, {"1 to 1024"}},
	{"no bucket width", no_bucket, {"100 ms"}},
	{"no target", no_target, {"no target"}},
	{"unknown target", unknown_target, {"'nowhere'"}},
	{"target without a name", unnamed_target, {"no target ''"}},
	{"target twice", target_twice, {"'a'", "twice"}},
	{"fewer blocks than workers", few_blocks, {"'a'", "5 blocks", "64 workers", "at most 5"}},
	{"queue of 4 with sync", deep_queue, {"queue_depth 4", "sync", "8 have as much"}},
	{"path without size", no_size, {"'a'", "no size"}},
	{"more than the disk has", too_large, {"36028797018963968 bytes", "free", "lower size"}},
	{"more than offsets reach", beyond_offsets, {"too large", "4611686018427387904"}},
	{"more than the disk has, together", too_large_together, {"18446744073709551615", "free"}},
	{"too many targets", many_targets, {"4096 targets"}},
	{"too many parts", many_parts, {"4096 parts"}},
	{"path and null", two_kinds, {"more than one", "exactly one"}},
	{"no kind", no_kind, {"none", "exactly one"}},
	{"buffers over the limit", no_memory, {"131072", "65536", "agent.yaml"}},
	{"too many threads", many_threads, {"4096 threads", "fewer workers"}},
	{"path not allowed", unlisted, {"/etc"}},
	{"device not allowed", device_unlisted, {"/dev/zero"}},
	{"stripe over nowhere", stripe_over_nowhere, {"'s'", "'nowhere'"}},
	{"stripe over a stripe", stripe_over_itself, {"'s'", "is a stripe itself"}},
	{"stripe over one part twice", stripe_twice_over_one, {"'a'", "twice"}},
	{"stripe over null and file", stripe_of_null_and_file, {"'s'", "null"}},
	{"stripe unit 1000", stripe_odd_unit, {"stripe_unit 1000", "1024"}},
	{"too many pieces", stripe_small_unit, {"larger stripe_unit"}},
	{"one file by two names", one_file_twice, {"'a'", "'b'", "same"}},
	{"a file that muster did not make", foreign_file, {"foreign", "not made by muster"}},
};

static bool is_empty(const char *folder)
{
	return run("test -z \"$(ls -A '%s' | grep -v '^foreign$')\"", folder);
}

static void refusals_say_why_and_what_would_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scene_init(&scene, work);
		scene_file(&scene, "a", 8 * MIB, true);
		scene.prepare.phase.op = PHASE_OP_WRITE;
		scene.prepare.phase.size_bytes = 8 * MIB;
		rows[i].change(&scene);
		char *text = scene_refusal(&scene);
		for (int k = 0; k < 4 && rows[i].words[k]; k++)
			if (!strstr(text, rows[i].words[k]))
				fail_msg("%s: '%s' is not in: %s", rows[i].what, rows[i].words[k],
					 text);
		if (!is_empty(work))
			fail_msg("%s: a file was made", rows[i].what);
		free(text);
		scene_release(&scene);
	}
}

static void a_refusal_names_its_target(void **state)
{
	(void)state;
	scene_init(&scene, work);
	scene_file(&scene, "a", 8 * MIB, true);
	scene_file(&scene, "b", 0, true);
	scene.prepare.phase.runtime = NS_PER_S;
	struct phase_run *phase = scene_new(&scene);
	assert_int_equal(scene_wait(phase, PHASE_RUN_PREPARING, NULL), PHASE_RUN_FAILED);
	assert_string_equal(phase_run_failure(phase)->target, "b");
	phase_run_free(phase);
	scene_release(&scene);
}

static void an_allowed_queue_of_null_is_any(void **state)
{
	(void)state;
	scene_init(&scene, work);
	scene_null(&scene, "n", 64 * MIB, true);
	scene.prepare.phase.runtime = NS_PER_S;
	scene.prepare.phase.queue_depth = 512;
	phase_run_free(scene_ready(&scene));
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_say_why_and_what_would_do),
		cmocka_unit_test(a_refusal_names_its_target),
		cmocka_unit_test(an_allowed_queue_of_null_is_any),
	};

	test_folder_make();
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir '%s'", work))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
