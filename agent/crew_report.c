/* crew_report.c - what a crew did, once all its workers are joined. */
#include "agent/crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/space.h"
#include "common/clock.h"
#include "common/memory.h"

/* ---- totals ---- */

static void add_ramp(struct done_target *into, const struct tally *ramp)
{
	into->ramp_bytes_read += ramp->bytes_read;
	into->ramp_bytes_written += ramp->bytes_written;
	into->ramp_operations += ramp->operations;
	into->ramp_errors += ramp->errors;
}

static void add_after(struct done_target *into, const struct tally *after)
{
	into->bytes_read += after->bytes_read;
	into->bytes_written += after->bytes_written;
	into->operations += after->operations;
	into->errors += after->errors;
}

static void add_span(struct done_target *into, const struct worker *worker)
{
	uint64_t first = worker->first_submit_ns, last = worker->last_completion_ns;

	if (first && (!into->first_io_ns || first < into->first_io_ns))
		into->first_io_ns = first;
	if (last > into->last_io_ns)
		into->last_io_ns = last;
}

static void report_worker(const struct crew *crew, uint32_t index, struct done *done)
{
	const struct worker *worker = crew_worker(crew, index);
	struct done_worker *into = RECORD_APPEND(done->workers, done->workers_count);
	const struct cpu_list *cpus = crew_cpus(crew, index);
	char text[256];

	*into = (struct done_worker){
		.target = mem_text(crew->target->target->name),
		.worker = index,
		.first_submit_ns = worker->first_submit_ns,
		.last_completion_ns = worker->last_completion_ns,
		.operations = worker->ramp.operations + worker->after.operations,
		.cpus = mem_text(cpus ? cpu_list_format(text, sizeof(text), cpus) : NULL),
	};
}

static void report_bins(const struct histogram *latency, struct histogram_bin **bins,
			uint32_t *count)
{
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!latency->counts[i])
			continue;
		struct histogram_bin *bin = RECORD_APPEND(*bins, *count);
		*bin = (struct histogram_bin){.index = i, .count = latency->counts[i]};
	}
}

static void report_latency(const struct crew *crew, struct done_target *into)
{
	struct histogram *latency = mem_new(1, sizeof(*latency));

	for (uint32_t i = 0; i < crew->count; i++)
		histogram_merge(latency, &crew_worker(crew, i)->latency);
	into->max_latency_ns = latency->max;
	report_bins(latency, &into->latency, &into->latency_count);
	free(latency);
}

static struct done_latency *latency_new(const struct histogram *latency)
{
	struct done_latency *into = mem_new(1, sizeof(*into));

	into->max_ns = latency->max;
	report_bins(latency, &into->bins, &into->bins_count);
	return into;
}

static struct done_latency *response_new(const struct crew *crew)
{
	struct histogram *response = mem_new(1, sizeof(*response));

	for (uint32_t i = 0; i < crew->count; i++)
		histogram_merge(response, crew_worker(crew, i)->response);
	struct done_latency *into = latency_new(response);
	free(response);
	return into;
}

static struct done_latency *syncs_new(const struct crew *crew)
{
	struct histogram *syncs = mem_new(1, sizeof(*syncs));

	for (uint32_t i = 0; i < crew->count; i++)
		histogram_merge(syncs, crew_worker(crew, i)->syncs);
	struct done_latency *into = latency_new(syncs);
	free(syncs);
	return into;
}

static void report_sizes(const struct crew *crew, struct done_target *into)
{
	const struct phase *phase = crew->phase;

	for (uint32_t k = 0; k < phase->block_mix_count; k++) {
		struct done_size *size = RECORD_APPEND(into->sizes, into->sizes_count);
		size->block_size = phase->block_mix[k].size;
		for (uint32_t i = 0; i < crew->count; i++) {
			const struct tally *tally = &crew_worker(crew, i)->sizes[k];
			size->bytes_read += tally->bytes_read;
			size->bytes_written += tally->bytes_written;
			size->operations += tally->operations;
		}
	}
}

/* ---- errors ---- */

static const struct worker *first_to_fail(const struct crew *crew)
{
	const struct worker *first = NULL;

	for (uint32_t i = 0; i < crew->count; i++) {
		const struct worker *worker = crew_worker(crew, i);
		if (!worker->error.completed_ns)
			continue;
		if (!first || worker->error.completed_ns < first->error.completed_ns)
			first = worker;
	}
	return first;
}

static const char *const io_names[] = {
	[IO_READ] = "read", [IO_WRITE] = "write", [IO_TRIM] = "trim", [IO_SYNC] = "sync"};

static char *describe(const struct crew *crew, const struct worker_error *error)
{
	const struct part *part = crew->target->parts[error->part];
	const char *kind = io_names[error->kind];
	unsigned long long length = error->length, offset = error->offset;

	if (error->kind == IO_SYNC)
		return mem_format("target '%s': %s of '%s' failed: %s", crew->target->target->name,
				  phase_sync_call_names[crew->phase->sync_call], part->path,
				  strerror(error->number));
	if (!error->number)
		return mem_format("target '%s': %s of %llu bytes at offset %llu moved only %llu "
				  "bytes",
				  crew->target->target->name, kind, length, offset,
				  (unsigned long long)error->moved_bytes);
	return mem_format("target '%s': %s of %llu bytes at offset %llu of '%s' failed: %s",
			  crew->target->target->name, kind, length, offset,
			  part->path ? part->path : "null", strerror(error->number));
}

static void report_error(const struct failure *kind, struct done_target *into)
{
	struct io_error *error = RECORD_APPEND(into->io_errors, into->io_errors_count);
	const char *text = kind->number > 0    ? strerror(kind->number)
			   : kind->number == 0 ? "short"
					       : "other errors";

	*error = (struct io_error){.op = mem_text(io_names[kind->op]),
				   .error = mem_text(text),
				   .count = kind->count,
				   .first_offset = kind->first_offset};
}

static void report_errors(const struct crew *crew, struct done_target *into)
{
	struct failures all = {0};

	for (uint32_t i = 0; i < crew->count; i++) {
		const struct failures *kinds = &crew_worker(crew, i)->failures;
		for (uint32_t k = 0; k < kinds->count; k++)
			failures_add(&all, &kinds->all[k]);
	}
	if (crew->sync_error)
		failures_add(&all, &(struct failure){.op = IO_SYNC,
						     .number = crew->sync_error,
						     .count = 1,
						     .first_ns = UINT64_MAX});
	for (uint32_t k = 0; k < all.count; k++)
		report_error(&all.all[k], into);
}

/* ---- what was verified ---- */

static void report_miscompares(const struct crew *crew, struct miscompares *into)
{
	if (!crew->phase->verify)
		return;
	for (uint32_t i = 0; i < crew->count; i++)
		verify_report(&crew_worker(crew, i)->verify, into);
	if (!into->blocks || evidence_is_empty(&crew->evidence))
		return;
	into->evidence = mem_text(crew->evidence.path);
	int failed = atomic_load(&crew->evidence.error);
	if (failed) {
		char *first = into->first;
		into->first = mem_format("%s; not all evidence could be kept: %s", first,
					 strerror(failed));
		free(first);
	}
}

void crew_report(const struct crew *crew, struct done *done)
{
	struct done_target *into = RECORD_APPEND(done->targets, done->targets_count);
	uint64_t passes = UINT64_MAX;

	into->target = mem_text(crew->target->target->name);
	into->sync_ns = crew->sync_ns;
	for (uint32_t i = 0; i < crew->count; i++) {
		const struct worker *worker = crew_worker(crew, i);
		add_ramp(into, &worker->ramp);
		add_after(into, &worker->after);
		add_span(into, worker);
		passes = worker_passes(worker) < passes ? worker_passes(worker) : passes;
		report_worker(crew, i, done);
	}
	into->passes = passes > UINT32_MAX ? UINT32_MAX : (uint32_t)passes;
	report_latency(crew, into);
	if (phase_is_paced(crew->phase))
		into->response = response_new(crew);
	if (crew->phase->sync_every)
		into->syncs = syncs_new(crew);
	report_sizes(crew, into);
	report_miscompares(crew, &into->miscompares);
	report_errors(crew, into);
	const struct worker *failed = first_to_fail(crew);
	if (failed)
		into->first_error = describe(crew, &failed->error);
}

static const struct worker *find_end(const struct crew *crew, enum worker_end end)
{
	for (uint32_t i = 0; i < crew->count; i++)
		if (crew_worker(crew, i)->end == end)
			return crew_worker(crew, i);
	return NULL;
}

static bool sync_failure(const struct crew *crew, struct error *err)
{
	if (!crew->sync_error)
		return false;
	if (crew->sync_error == ENOSPC || crew->sync_error == EDQUOT)
		space_explain(crew->sync_part, crew->target->target->name, err);
	else
		error_set(err, ERROR_BROKEN, "target '%s': cannot sync '%s': %s",
			  crew->target->target->name, crew->sync_part->path,
			  strerror(crew->sync_error));
	return true;
}

bool crew_failure(const struct crew *crew, struct error *err)
{
	const char *name = crew->target->target->name;
	const struct worker *worker;

	if ((worker = find_end(crew, WORKER_END_NO_SPACE))) {
		space_explain(crew->target->parts[worker->error.part], name, err);
	} else if ((worker = find_end(crew, WORKER_END_GAVE_UP))) {
		char *first = describe(crew, &worker->error);
		error_set(err, ERROR_BROKEN,
			  "worker %u gave up after %d errors in a row; its first: %s",
			  worker->setup.index, WORKER_ERRORS_IN_A_ROW, first);
		free(first);
	} else if ((worker = find_end(crew, WORKER_END_OVERRUN))) {
		error_set(err, ERROR_BROKEN, "target '%s': timeline not collected for %llu s", name,
			  (unsigned long long)(worker->buckets.limit * worker->buckets.width_ns /
					       NS_PER_S));
	} else {
		return sync_failure(crew, err);
	}
	return true;
}

/* The sums are taken by two ways from the same completions: they can only differ by our fault. */
bool crew_sums_differ(const struct crew *crew, struct error *err)
{
	struct done_target all = {0};

	for (uint32_t i = 0; i < crew->count; i++) {
		add_after(&all, &crew_worker(crew, i)->ramp);
		add_after(&all, &crew_worker(crew, i)->after);
	}
	const struct tally *timeline = &crew->collected;
	if (all.bytes_read == timeline->bytes_read && all.operations == timeline->operations &&
	    all.bytes_written == timeline->bytes_written && all.errors == timeline->errors)
		return false;
	error_set(err, ERROR_BROKEN,
		  "target '%s': the timeline has %llu operations and %llu bytes, the totals %llu "
		  "and %llu: a fault of muster, please report it",
		  crew->target->target->name, (unsigned long long)timeline->operations,
		  (unsigned long long)(timeline->bytes_read + timeline->bytes_written),
		  (unsigned long long)all.operations,
		  (unsigned long long)(all.bytes_read + all.bytes_written));
	return true;
}
