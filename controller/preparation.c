#include "controller/preparation.h"

#include <stdlib.h>

#include "common/memory.h"

void preparation_init(struct prepare *prepare, const struct plan *plan, const struct phase *phase,
		      const struct plan_host *host, uint64_t memory_bytes)
{
	*prepare = (struct prepare){.bucket_ns = plan->bucket,
				    .io_timeout_ns = plan->io_timeout,
				    .targets_count = host->targets_count};
	prepare->phase = *phase;
	prepare->phase.size_bytes = plan_size_bytes(phase->size, memory_bytes);
	if (host->agents->cpus)
		prepare->phase.cpus = host->agents->cpus;
	prepare->targets = mem_new(prepare->targets_count, sizeof(*prepare->targets));
	for (uint32_t i = 0; i < prepare->targets_count; i++) {
		prepare->targets[i] = host->targets[i];
		prepare->targets[i].size_bytes =
			plan_size_bytes(prepare->targets[i].size, memory_bytes);
	}
}

void preparation_release(struct prepare *prepare)
{
	free(prepare->targets);
	*prepare = (struct prepare){0};
}
