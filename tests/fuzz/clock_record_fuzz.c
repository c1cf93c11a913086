/* A record of exchanges: refused with a reason, or it packs to the same bytes again, and what it
 * says can be fitted whatever it is. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/clock_record.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* A fit of many that contradict each other takes long. */
#define FITTED 400

static void check(const struct clock_estimate *e)
{
	assert(!e->known || (e->lo_ns <= e->offset_ns && e->offset_ns <= e->hi_ns &&
			     e->drift_lo_ppb <= e->drift_ppb && e->drift_ppb <= e->drift_hi_ppb));
}

static void fit(const struct clock_record_host *host)
{
	uint32_t count = host->count < FITTED ? host->count : FITTED;
	uint64_t min, median, p99, t, bound;
	struct clock_fit fit;
	bool disrupted;

	clock_fit_init(&fit, host->samples, count, NULL, 0);
	for (uint32_t i = 0; i < fit.cuts_count; i++)
		assert(fit.cuts[i].before_ns <= fit.cuts[i].after_ns);
	for (uint32_t i = 0; i < count; i += 1 + count / 16) {
		const struct clock_sample *s = &host->samples[i];
		struct clock_estimate e = clock_fit_at(&fit, s->t1);
		check(&e);
		e = clock_fit_ahead(host->samples, count, s->t4, s->t4 + 1);
		check(&e);
		clock_fit_invert(&fit, s->t2, s->t1, &t, &bound, &disrupted);
	}
	if (clock_fit_round_trips(host->samples, count, &min, &median, &p99))
		assert(min <= median && median <= p99);
	clock_fit_release(&fit);
}

static void pack_again(const struct clock_record *record, const unsigned char *data, size_t size)
{
	struct bytes bytes = {0};

	clock_record_pack(record, &bytes);
	assert(bytes.size == size && memcmp(bytes.data, data, size) == 0);
	free(bytes.data);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct clock_record record = {0};
	struct error err = {0};

	if (clock_record_unpack(&record, data, size, &err) < 0) {
		assert(err.kind == ERROR_USAGE && err.text[0] && !record.hosts);
		return 0;
	}
	accepted = true;
	pack_again(&record, data, size);
	for (uint32_t i = 0; i < record.count && i < 8; i++)
		fit(&record.hosts[i]);
	clock_record_release(&record);
	return 0;
}
