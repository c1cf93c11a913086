/* phase_done.c - the end of a phase on this host: what was it, and what was done. */
#include "agent/phase_run_inside.h"

#include <stdlib.h>

#include "agent/expect.h"
#include "agent/platform/platform.h"
#include "common/memory.h"

static void conclude_as(struct phase_run *run, enum done_state outcome, const char *code,
			const char *text)
{
	if (run->outcome != DONE_COMPLETE)
		return;
	run->outcome = outcome;
	run->outcome_code = code;
	run->outcome_text = mem_text(text);
}

/* Who was asked to stop says so first; what else went wrong is in the targets' errors. */
static void find_outcome(struct phase_run *run)
{
	struct error err;

	pthread_mutex_lock(&run->lock);
	bool is_stopped = run->is_stopped;
	pthread_mutex_unlock(&run->lock);
	if (is_stopped)
		conclude_as(run, run->stop_state, NULL, run->why);
	for (uint32_t i = 0; i < run->crews_count; i++)
		if (crew_failure(&run->crews[i], &err))
			conclude_as(run, DONE_BROKEN, err.code, err.text);
}

static uint64_t since(uint64_t before, uint64_t after)
{
	return before == UINT64_MAX || after < before ? 0 : after - before;
}

static void read_counters(struct phase_run *run)
{
	uint64_t bytes_read = 0, bytes_written = 0;

	device_counters_after(&run->devices);
	platform_process_io(&bytes_read, &bytes_written);
	run->process_read_bytes = since(run->process_read_bytes, bytes_read);
	run->process_written_bytes = since(run->process_written_bytes, bytes_written);
	run->cpu_ns = since(run->cpu_ns, platform_cpu_ns());
}

void phase_conclude(struct phase_run *run)
{
	run->cpu_ns = platform_cpu_ns();
	for (uint32_t i = 0; i < run->crews_count; i++)
		crew_join(&run->crews[i]);
	punctual_release(&run->punctual);
	read_counters(run);
	for (uint32_t i = 0; i < run->crews_count; i++)
		crew_record(&run->crews[i], run->written);
	for (uint32_t i = 0; i < run->crews_count; i++)
		crew_mark_synced(&run->crews[i]);
	for (uint32_t i = 0; i < run->crews_count; i++)
		evidence_close(&run->crews[i].evidence);
	expect_remember(&run->targets, run->prepare.run, run->config->spool, run->written);
	/* Here and not when the session frees the run: closing can wait for the disk. */
	phase_targets_close(&run->targets);
	find_outcome(run);
}

void phase_run_done(struct phase_run *run, struct done *done)
{
	struct error err;

	for (uint32_t i = 0; i < run->crews_count; i++) {
		crew_report(&run->crews[i], done);
		if (crew_sums_differ(&run->crews[i], &err))
			conclude_as(run, DONE_BROKEN, err.code, err.text);
	}
	device_counters_report(&run->devices, done);
	punctual_report(&run->punctual, done);
	done->state = run->outcome;
	done->code = mem_text(run->outcome_code);
	done->text = mem_text(run->outcome_text);
	done->process_read_bytes = run->process_read_bytes;
	done->process_written_bytes = run->process_written_bytes;
	done->cpu_ns = run->cpu_ns;
}
