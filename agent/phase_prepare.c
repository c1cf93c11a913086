/* phase_prepare.c - from what the controller asks to workers parked at the gate.
 *
 * In an order in which nothing is changed on the host before everything that can be refused
 * without changing it has been looked at, and nothing is laid out before all memory is there. */
#include "agent/phase_run_inside.h"

#include "agent/expect.h"
#include "agent/phase_check.h"
#include "agent/platform/platform.h"
#include "agent/space.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "common/random.h"
#include "common/units.h"
#include "proto/phase_memory.h"

/* ---- workers ---- */

uint32_t phase_ramp_buckets(const struct phase_run *run)
{
	uint64_t bucket = run->prepare.bucket_ns;

	return (uint32_t)((run->prepare.phase.ramp + bucket - 1) / bucket);
}

/* The lay-out before a mixed phase takes a generation for itself. */
static struct worker_setup setup_for(struct phase_run *run, const struct load_target *target)
{
	const struct prepare *prepare = &run->prepare;

	return (struct worker_setup){
		.phase = &prepare->phase,
		.target = target,
		.host = run->host,
		.seed = prepare->seed,
		.order = random_mix(prepare->seed ^ random_mix(~(uint64_t)prepare->number)) ^
			 pattern_owner(run->host, target->target->name),
		.generation = phase_targets_generation(target, run->written) +
			      (prepare->phase.op == PHASE_OP_MIXED),
		.bucket_ns = prepare->bucket_ns,
		.ramp_buckets = phase_ramp_buckets(run),
		.io_timeout_ns = prepare->io_timeout_ns,
		.written = run->written,
		.stop = &run->stop,
	};
}

/* ---- memory ---- */

static struct phase_memory memory_of(const struct phase_run *run)
{
	const struct prepare *prepare = &run->prepare;
	struct phase_memory memory = {0};

	for (uint32_t i = 0; i < run->targets.targets_count; i++) {
		const struct load_target *target = &run->targets.targets[i];
		const struct phase_memory_target shape = {
			.parts = target->parts_count,
			.stripe_unit = target->stripe.unit,
			.alignment = phase_targets_buffer_alignment(target),
		};
		phase_memory_add(&memory, &prepare->phase, prepare->bucket_ns, &shape);
	}
	phase_memory_add_layout(&memory, layout_files(run->targets.parts, run->targets.parts_count,
						      run->written, &prepare->phase));
	return memory;
}

static int check_memory(struct phase_run *run, struct error *err)
{
	const struct phase *phase = &run->prepare.phase;
	const struct phase_memory memory = memory_of(run);
	uint64_t all = phase_memory_total(&memory);
	char wanted[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	run->ready.buffer_bytes = all;
	if (all <= run->config->memory)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "%u workers on each of %u targets need %llu bytes (%s), of which %llu are I/O "
		  "buffers (workers x queue_depth x block_size) and %llu of the lay-out, and this "
		  "agent may use %llu (%s): use fewer or smaller ones, or raise 'memory' in "
		  "agent.yaml",
		  phase->workers, run->targets.targets_count, (unsigned long long)all,
		  units_format_bytes(wanted, all), (unsigned long long)memory.buffers,
		  (unsigned long long)memory.layout, (unsigned long long)run->config->memory,
		  units_format_bytes(most, run->config->memory));
	return -1;
}

/* ---- the crews ---- */

/* Takes the text. */
static void note(struct phase_run *run, char *text)
{
	struct name *note = RECORD_APPEND(run->ready.notes, run->ready.notes_count);

	note->name = text;
}

/* What workers have to do without on this target: of the first that has to. */
static void note_lacks(struct phase_run *run, const struct crew *crew)
{
	const struct engine_ops *engine = crew->target->engine;
	const char *of_engine = NULL, *of_buffers = NULL;

	for (uint32_t i = 0; i < crew->count; i++) {
		const struct worker *worker = crew_worker(crew, i);
		if (engine->note && !of_engine)
			of_engine = engine->note(worker->engine);
		if (worker->buffers.note[0] && !of_buffers)
			of_buffers = worker->buffers.note;
	}
	if (of_engine)
		note(run, mem_format("target '%s', engine %s: %s", crew->target->target->name,
				     engine->name, of_engine));
	if (of_buffers)
		note(run, mem_format("target '%s': %s", crew->target->target->name, of_buffers));
}

static int make_crews(struct phase_run *run, const char **at, struct error *err)
{
	const struct crew_start start = {
		.gate = &run->gate, .map = &run->map, .punctual = &run->punctual};

	run->crews = mem_new(run->targets.targets_count, sizeof(*run->crews));
	for (uint32_t i = 0; i < run->targets.targets_count; i++) {
		const struct load_target *target = &run->targets.targets[i];
		struct worker_setup setup = setup_for(run, target);
		*at = target->target->name;
		run->crews_count++;
		if (crew_init(&run->crews[i], &setup, &start, err))
			return -1;
		run->crews[i].first = i * setup.phase->workers;
	}
	return 0;
}

/* And waits until they are: at the start nothing is left to do but to submit. */
static int park_workers(struct phase_run *run, const char **at, struct error *err)
{
	uint32_t workers = 0;

	for (uint32_t i = 0; i < run->crews_count; i++) {
		*at = run->crews[i].target->target->name;
		if (crew_start(&run->crews[i], err))
			return -1;
		workers += run->crews[i].count;
	}
	gate_gather(&run->gate, workers);
	for (uint32_t i = 0; i < run->crews_count; i++) {
		*at = run->crews[i].target->target->name;
		if (crew_check_bound(&run->crews[i], err))
			return -1;
		note_lacks(run, &run->crews[i]);
	}
	punctual_init(&run->punctual, workers);
	return 0;
}

/* ---- the lay-out ---- */

static int lay_out(struct phase_run *run, const char **at, struct error *err)
{
	const struct layout_data data = {
		.seed = run->prepare.seed,
		.host = run->host,
		.shape = phase_shape(&run->prepare.phase),
	};
	int failed;

	if (!phase_needs_data(&run->prepare.phase))
		return 0;
	layout_init(&run->layout, run->targets.parts, run->targets.parts_count, run->written, &data,
		    &run->stop);
	if (!layout_is_needed(&run->layout))
		return 0;
	phase_run_enter_layout(run);
	failed = layout_run(&run->layout, at, err);
	if (!phase_run_leave_layout(run))
		return -1;
	layout_record(&run->layout, run->written);
	return failed;
}

/* ---- evidence ---- */

static int open_evidence(struct phase_run *run, const char **at, struct error *err)
{
	const struct prepare *prepare = &run->prepare;

	for (uint32_t i = 0; prepare->phase.verify && i < run->crews_count; i++) {
		struct crew *crew = &run->crews[i];
		*at = crew->target->target->name;
		if (evidence_open(&crew->evidence, run->config->spool, prepare->run,
				  prepare->number, *at, err))
			return -1;
	}
	return 0;
}

/* ---- the answer, and where the counters stand ---- */

static void describe(struct phase_run *run)
{
	for (uint32_t i = 0; i < run->targets.targets_count; i++) {
		struct ready_target *target =
			RECORD_APPEND(run->ready.targets, run->ready.targets_count);
		phase_targets_describe(&run->targets.targets[i], target);
	}
}

static void read_counters(struct phase_run *run)
{
	for (uint32_t i = 0; i < run->targets.targets_count; i++) {
		const struct load_target *target = &run->targets.targets[i];
		for (uint32_t k = 0; k < target->parts_count; k++)
			if (target->parts[k]->fd >= 0)
				device_counters_add(&run->devices, target->parts[k]->fd,
						    target->target->name);
	}
	device_counters_before(&run->devices);
	if (!platform_process_io(&run->process_read_bytes, &run->process_written_bytes))
		run->process_read_bytes = run->process_written_bytes = UINT64_MAX;
}

static int go_on(const struct phase_run *run, struct error *err)
{
	if (!atomic_load(&run->stop))
		return 0;
	error_set(err, ERROR_BROKEN, "stopped while preparing");
	return -1;
}

/* What can be said before parts are open: which node a device is attached to comes with the crews.
 */
static int check_placement(struct phase_run *run, struct error *err)
{
	struct phase phase = run->prepare.phase;
	struct placement placement;

	if (phase.numa == PHASE_NUMA_DEVICE)
		phase.numa = PHASE_NUMA_NONE;
	int failed = placement_find(&placement, &phase, &run->targets.targets[0], err);
	placement_release(&placement);
	return failed;
}

/* Whether it is there to verify. A check alone comes before what would write it. */
static int check_verify(struct phase_run *run, struct error *err)
{
	const struct prepare *prepare = &run->prepare;

	if (!prepare->phase.verify || prepare->check)
		return 0;
	for (uint32_t i = 0; i < run->targets.targets_count; i++) {
		const struct load_target *target = &run->targets.targets[i];
		run->targets.at = target->target->name;
		if (verify_is_possible(target, &prepare->phase, run->written, err))
			return -1;
	}
	run->targets.at = NULL;
	return 0;
}

static int check_expect(struct phase_run *run, struct error *err)
{
	const char *expect = run->prepare.phase.expect;

	if (!expect)
		return 0;
	if (phase_writes(&run->prepare.phase)) {
		error_set(err, ERROR_REFUSED,
			  "what an earlier run wrote can be expected by a read phase only: leave "
			  "expect out, or use op: read");
		return -1;
	}
	return expect_load(&run->targets, expect, run->config->spool, run->written, err);
}

/* Files are laid out again; a device is never written by what only reads. */
static int check_holes(struct phase_run *run, const struct part_context *context, struct error *err)
{
	uint64_t offset;

	for (uint32_t i = 0; i < run->targets.parts_count; i++) {
		const struct part *part = run->targets.parts[i];
		bool reads =
			context->phase->op == PHASE_OP_READ || context->phase->op == PHASE_OP_MIXED;
		if (!reads || part->kind != PART_DEVICE ||
		    !written_is_trimmed(run->written, part->path, part->used_bytes, &offset))
			continue;
		const char *text = "was trimmed in this run and not written since: what is read "
				   "there need not come from the medium";
		if (context->phase->cache == PHASE_CACHE_ALLOWED) {
			part_note(context, "target '%s': '%s' from offset %llu on %s",
				  part->target->name, part->path, (unsigned long long)offset, text);
			continue;
		}
		run->targets.at = part->target->name;
		error_set(err, ERROR_REFUSED,
			  "target '%s': '%s' from offset %llu on %s; write it in a phase before, "
			  "or say cache: allowed",
			  part->target->name, part->path, (unsigned long long)offset, text);
		return -1;
	}
	return 0;
}

static int prepare_targets(struct phase_run *run, const char **at, struct error *err)
{
	struct platform_openers openers = {0};
	struct part_context context = {
		.phase = &run->prepare.phase,
		.host = run->host,
		.config = run->config,
		.files = run->files,
		.written = run->written,
		.ready = &run->ready,
		.openers = &openers,
	};
	int failed = phase_targets_find(&run->targets, &run->prepare, &context, err) ||
		     space_check(&run->targets, err) || check_placement(run, err) ||
		     check_expect(run, err) || check_memory(run, err) || check_verify(run, err) ||
		     check_holes(run, &context, err) || go_on(run, err) ||
		     (run->prepare.check ? phase_targets_look(&run->targets, &context, err)
					 : phase_targets_open(&run->targets, &context, err));

	if (!failed && run->prepare.check)
		phase_targets_places(&run->targets, &context);
	platform_openers_release(&openers);
	*at = run->targets.at;
	return failed ? -1 : 0;
}

int phase_prepare(struct phase_run *run, const char **at, struct error *err)
{
	*at = NULL;
	if (phase_check(&run->prepare, err))
		return -1;
	if (prepare_targets(run, at, err))
		return -1;
	if (run->prepare.check) {
		describe(run);
		return 0;
	}
	if (make_crews(run, at, err) || go_on(run, err) || open_evidence(run, at, err))
		return -1;
	*at = NULL;
	if (expect_forget(&run->targets, &run->prepare.phase, run->config->spool, run->written,
			  err))
		return -1;
	if (lay_out(run, at, err) || go_on(run, err) || park_workers(run, at, err))
		return -1;
	describe(run);
	read_counters(run);
	return 0;
}
