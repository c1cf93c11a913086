#include "agent/outstanding.h"

#include "agent/request.h"
#include "common/clock.h"

static void set(_Atomic uint64_t *value, uint64_t to)
{
	atomic_store_explicit(value, to, memory_order_relaxed);
}

static uint64_t get(_Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

/* Of the first of its parts; 0: it is not outstanding. */
static uint64_t submitted_ns(const struct request *request, const struct outstanding_requests *all)
{
	bool is_out = request->pending && request->number < all->unsent;
	uint64_t first = 0;

	for (uint32_t p = 0; is_out && p < all->parts; p++) {
		const struct io *io = &request->ios[p];
		if (io->length && (!first || io->submitted_ns < first))
			first = io->submitted_ns;
	}
	return first;
}

void outstanding_look(struct outstanding *outstanding, const struct outstanding_requests *all,
		      uint64_t limit_ns, uint64_t now_ns)
{
	const struct request *oldest = NULL;
	uint64_t since = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		uint64_t submitted = submitted_ns(&all->requests[i], all);
		if (!submitted || (oldest && submitted >= since))
			continue;
		oldest = &all->requests[i];
		since = submitted;
	}
	bool is_stuck = oldest && now_ns > since && now_ns - since > limit_ns;
	if (oldest) {
		set(&outstanding->offset, oldest->place.offset);
		set(&outstanding->stuck_offset, oldest->place.offset);
	}
	atomic_store_explicit(&outstanding->stuck_since_ns, is_stuck ? since : 0,
			      memory_order_release);
	outstanding->look_ns = now_ns + NS_PER_S;
}

bool outstanding_find(struct outstanding *outstanding, uint64_t limit_ns, uint64_t now_ns,
		      struct outstanding_request *found)
{
	uint64_t since = atomic_load_explicit(&outstanding->stuck_since_ns, memory_order_acquire);
	uint64_t waiting = get(&outstanding->waiting_since_ns);

	if (since) {
		*found = (struct outstanding_request){since, get(&outstanding->stuck_offset)};
		return true;
	}
	if (!waiting || now_ns <= waiting || now_ns - waiting <= limit_ns)
		return false;
	*found = (struct outstanding_request){waiting, get(&outstanding->offset)};
	return true;
}
