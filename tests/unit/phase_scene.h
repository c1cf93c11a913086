/* phase_scene.h - what an agent has around a phase, for tests: a config that allows the test's
 * folder, a spool, and a request to fill in. */
#ifndef MUSTER_TESTS_PHASE_SCENE_H
#define MUSTER_TESTS_PHASE_SCENE_H

#include "agent/phase_run.h"
#include "common/clock.h"
#include "common/memory.h"
#include "tests/unit/loop_device.h"

#define SCENE_MOST 8
#define KIB        UINT64_C(1024)
#define MIB        (1024 * KIB)

struct scene {
	struct agent_config config;
	struct name allowed[1], allowed_devices[SCENE_MOST];
	struct made_files *files;
	struct written *written;
	struct prepare prepare;
	struct target targets[SCENE_MOST];
	struct name names[SCENE_MOST];
	char folder[128], spool[128];
};

/* Files go to `folder`; everything else is as a plan's defaults have it, without I/O size. */
static inline void scene_init(struct scene *s, const char *folder)
{
	struct error err;

	memset(s, 0, sizeof(*s));
	snprintf(s->folder, sizeof(s->folder), "%s", folder);
	snprintf(s->spool, sizeof(s->spool), "%s/spool", test_folder);
	s->allowed[0].name = s->folder;
	s->config = (struct agent_config){.allow_paths = s->allowed,
					  .allow_paths_count = 1,
					  .allow_devices = s->allowed_devices,
					  .spool = s->spool,
					  .memory = 256 * MIB,
					  .spool_limit = 256 * MIB};
	s->files = made_files_open(s->spool, &err);
	if (!s->files)
		fail_msg("%s", err.text);
	s->written = written_new();
	s->prepare = (struct prepare){.run = "r",
				      .seed = 7,
				      .bucket_ns = 10 * NS_PER_MS,
				      .io_timeout_ns = 60 * NS_PER_S,
				      .targets = s->targets,
				      .phase = {.name = "p",
						.targets = s->names,
						.block_size = 64 * KIB,
						.workers = 2,
						.queue_depth = 1,
						.read_percent = 50,
						.direct = PHASE_DIRECT_PREFER}};
}

static inline void scene_removed(void *context, const char *path, const char *error)
{
	(void)context;
	if (error)
		fail_msg("'%s' was not removed: %s", path, error);
}

static inline void scene_release(struct scene *s)
{
	made_files_remove_all(s->files, scene_removed, NULL);
	made_files_close(s->files);
	written_free(s->written);
}

/* Adds a target; it takes part when `used`. */
static inline struct target *scene_target(struct scene *s, const char *name, bool used)
{
	struct target *target = &s->targets[s->prepare.targets_count++];

	*target = (struct target){.name = (char *)name, .stripe_unit = 128 * KIB};
	if (used)
		s->names[s->prepare.phase.targets_count++].name = (char *)name;
	return target;
}

static inline struct target *scene_file(struct scene *s, const char *name, uint64_t size, bool used)
{
	struct target *target = scene_target(s, name, used);

	target->path = s->folder;
	target->size_bytes = size;
	return target;
}

static inline struct target *scene_null(struct scene *s, const char *name, uint64_t size, bool used)
{
	struct target *target = scene_target(s, name, used);

	target->null = true;
	target->size_bytes = size;
	return target;
}

static inline char *scene_path(const struct scene *s, const char *target)
{
	return mem_format("%s/muster.h.%s.data", s->folder, target);
}

/* ---- a phase from its request to its end, as the session does it ---- */

static inline struct phase_run *scene_new(struct scene *s)
{
	return phase_run_new(&s->prepare, "h", &s->config, s->files, s->written);
}

/* The state that follows `from`; a minute is for ever. */
static inline enum phase_run_state scene_wait(struct phase_run *phase, enum phase_run_state from,
					      struct timeline *timeline)
{
	uint64_t end = clock_now_ns() + 60 * NS_PER_S;

	while (phase_run_state(phase) == from) {
		if (clock_now_ns() > end)
			fail_msg("no step from state %d within a minute", (int)from);
		if (timeline)
			phase_run_harvest(phase, timeline);
		clock_sleep(NS_PER_MS);
	}
	return phase_run_state(phase);
}

static inline struct phase_run *scene_ready(struct scene *s)
{
	struct phase_run *phase = scene_new(s);

	if (scene_wait(phase, PHASE_RUN_PREPARING, NULL) != PHASE_RUN_READY)
		fail_msg("not ready: %s", phase_run_failure(phase)->text);
	return phase;
}

/* Why the phase is refused; the text is the caller's. */
static inline char *scene_refusal(struct scene *s)
{
	struct phase_run *phase = scene_new(s);

	if (scene_wait(phase, PHASE_RUN_PREPARING, NULL) != PHASE_RUN_FAILED)
		fail_msg("was not refused");
	assert_int_equal(phase_run_failure(phase)->kind, FAILED_REFUSED);
	char *text = mem_text(phase_run_failure(phase)->text);
	phase_run_free(phase);
	return text;
}

/* A timed phase's end is left to the agent. */
static inline void scene_start(struct phase_run *phase, uint64_t in_ns)
{
	phase_run_start(phase, &(struct start){.at_ns = clock_now_ns() + in_ns});
}

/* From READY to the end; frees the phase. */
static inline void scene_finish(struct phase_run *phase, struct timeline *timeline,
				struct done *done)
{
	*timeline = (struct timeline){0};
	*done = (struct done){0};
	scene_start(phase, 5 * NS_PER_MS);
	assert_int_equal(scene_wait(phase, PHASE_RUN_RUNNING, timeline), PHASE_RUN_ENDED);
	phase_run_harvest(phase, timeline);
	phase_run_done(phase, done);
	phase_run_free(phase);
}

static inline void scene_free(struct timeline *timeline, struct done *done)
{
	record_release(&timeline_table, timeline);
	record_release(&done_table, done);
}

#endif
