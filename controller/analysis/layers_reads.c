/* Reads held against writes of the same data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/analysis/layers.h"
#include "controller/analysis/layers_inside.h"
#include "controller/analysis/measured.h"

#define SHARE_LEAST      0.95 /* of written bytes on the devices */
#define VOLUME_TOLERANCE 1.1  /* larger amount of the smaller */

/* The rate with the sync at its end in the time, as far as that is known. */
static double written_rate(const struct measured *m)
{
	double plain = 0, synced = 0;

	for (uint32_t h = 0; h < m->got->hosts_count; h++)
		for (uint32_t t = 0; t < m->got->hosts[h].targets_count; t++) {
			const struct result_target *target = &m->got->hosts[h].targets[t];
			double with_sync = target->throughput_with_sync_bytes_per_s;
			plain += target->throughput_bytes_per_s;
			synced += isnan(with_sync) ? target->throughput_bytes_per_s : with_sync;
		}
	return measured_rate(m->got) * (plain > 0 ? synced / plain : 1);
}

/* The smallest share of the bytes that were on devices; NAN: unknown. */
static double least_share(const struct result_phase *phase)
{
	double least = NAN;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			const struct result_device *device =
				devices_find(phase, h, &phase->hosts[h].targets[t]);
			least = fmin(least, device ? device->share : NAN);
		}
	return least;
}

static char *likely_cause(const struct measured *read, const struct measured *write)
{
	double share = least_share(write->got);

	if (share < SHARE_LEAST)
		return mem_format("%.0f %% of the written bytes had not reached the device",
				  100 * (1 - share));
	if (read->asked->verify)
		return mem_text("each block was also compared with what was written, in the time "
				"of the worker that read it: a phase without verify tells whether "
				"that is it");
	if (read->asked->workers * (uint64_t)read->asked->queue_depth == 1)
		return mem_text("reads had one I/O in flight, while writes are gathered by any "
				"cache beneath");
	return mem_text(
		"of the written bytes all that is known reached the devices, so look at the "
		"path of reads: read-ahead, queue depth, a write cache that hides the disks");
}

static const struct measured *find_write(const struct trial *trial, const struct measured *read)
{
	const struct phase *asked = read->asked;

	for (uint32_t p = 0; p < trial->count; p++) {
		const struct measured *m = &trial->phases[p];
		if (m->is_sound && m->asked->op == PHASE_OP_WRITE && !phase_is_paced(m->asked) &&
		    m->asked->access == PHASE_ACCESS_SEQUENTIAL &&
		    phase_blocks_are_alike(m->asked, asked) &&
		    layers_are_as_deep(m->asked, asked) &&
		    layers_is_on(m->asked, asked->targets, asked->targets_count))
			return m;
	}
	return NULL;
}

/* What another reading of the same disks reached; NAN: none is known. */
static double reference_rate(const struct result *result, const struct phase *asked)
{
	struct known known = known_of(result, NULL);
	const struct fact_storage *storage =
		asked->targets_count == 1 ? known_storage(&known, asked->targets[0].name) : NULL;

	return storage && storage->reference_rate ? (double)storage->reference_rate : NAN;
}

static bool has_fixed_amount(const struct measured *m)
{
	return m->got->cluster && text_is(m->got->cluster->headline, "span") &&
	       m->got->cluster->bytes;
}

static bool have_same_volume(const struct measured *a, const struct measured *b)
{
	if (!has_fixed_amount(a) || !has_fixed_amount(b))
		return true;
	double x = (double)a->got->cluster->bytes, y = (double)b->got->cluster->bytes;
	return fmax(x, y) <= VOLUME_TOLERANCE * fmin(x, y);
}

void layers_read_check(struct result *result, const struct trial *trial,
		       const struct measured *read)
{
	char reads[UNITS_TEXT_SIZE], writes[UNITS_TEXT_SIZE];

	if (read->asked->op != PHASE_OP_READ || read->asked->access != PHASE_ACCESS_SEQUENTIAL ||
	    phase_is_paced(read->asked))
		return;
	const struct measured *write = find_write(trial, read);
	if (!write || !have_same_volume(read, write))
		return;
	double written = written_rate(write), share = measured_rate(read->got) / written;
	if (!(share < LAYERS_READ_LEAST))
		return;
	char *cause = likely_cause(read, write);
	double media = reference_rate(result, read->asked) / measured_rate(read->got);
	char path[96] = "";
	if (media > 1)
		snprintf(path, sizeof(path),
			 "; the disks can read %.1f times as much, so it is the path to them",
			 media);
	struct result_finding *finding = findings_add(
		result, "READ_SLOWER_THAN_WRITE", NULL, read->got, NULL, NULL, NULL,
		"reads reach %s, writes of phase '%s' on the same targets %s: %.2f of it; %s%s",
		units_format_rate(reads, measured_rate(read->got)), write->asked->name,
		units_format_rate(writes, written), share, cause, path);
	findings_figure(finding, "read_bytes_per_s", measured_rate(read->got));
	findings_figure(finding, "write_bytes_per_s", written);
	findings_figure(finding, "ratio", share);
	if (media > 0)
		findings_figure(finding, "media_of_read", media);
	free(cause);
}

/* Fixed amounts that are not the same are not held against each other, whatever they took. */
void layers_volumes_check(struct result *result, const struct trial *trial,
			  const struct measured *read)
{
	const struct measured *write = NULL;
	char reads[UNITS_TEXT_SIZE], writes[UNITS_TEXT_SIZE];

	for (uint32_t p = 0; p < trial->count && !write; p++)
		if (trial->phases[p].asked->op == PHASE_OP_WRITE &&
		    layers_is_on(trial->phases[p].asked, read->asked->targets,
				 read->asked->targets_count))
			write = &trial->phases[p];
	if (!write || read->asked->op != PHASE_OP_READ || have_same_volume(read, write))
		return;
	double of = (double)read->got->cluster->bytes, to = (double)write->got->cluster->bytes;
	struct result_finding *finding = findings_add(
		result, "PHASE_VOLUME_MISMATCH", NULL, read->got, NULL, NULL, NULL,
		"%s were read and %s written in phase '%s', %.1f to 1, so the two are not held "
		"against each other",
		units_format_bytes(reads, read->got->cluster->bytes),
		units_format_bytes(writes, write->got->cluster->bytes), write->asked->name,
		fmax(of, to) / fmin(of, to));
	findings_figure(finding, "read_bytes", of);
	findings_figure(finding, "written_bytes", to);
}
