/* The hosts of a phase that is built, and its targets by name. */
#include "common/memory.h"
#include "common/text.h"
#include "controller/foreign_inside.h"

uint32_t foreign_host_index(const struct build *build, const char *name)
{
	static const uint32_t only = 0;

	return name ? name_set_find(&build->hosts, name) : only;
}

uint32_t foreign_target_index(const struct result_phase_host *host, const char *name)
{
	for (uint32_t t = 0; name && t < host->targets_count; t++)
		if (text_is(host->targets[t].target, name))
			return t;
	return 0;
}

static void add_host(struct build *build, const char *name)
{
	if (!name || name_set_find(&build->hosts, name) != UINT32_MAX)
		return;
	name_set_add(&build->hosts, mem_text(name));
	struct result_phase_host *host =
		RECORD_APPEND(build->phase->hosts, build->phase->hosts_count);
	host->host = mem_text(name);
	host->state = mem_text("complete");
}

void foreign_add_hosts(struct build *build)
{
	const struct foreign *foreign = build->foreign;
	const struct foreign_measured *m = build->measured;

	for (uint32_t h = 0; h < foreign->hosts_count; h++)
		add_host(build, foreign->hosts[h].host);
	if (foreign->hosts_count)
		return;
	for (uint32_t i = 0; i < m->samples_count; i++)
		add_host(build, m->samples[i].host);
	for (uint32_t i = 0; i < m->moved_count; i++)
		add_host(build, m->moved[i].host);
	for (uint32_t i = 0; i < m->clock_count; i++)
		add_host(build, m->clock[i].host);
	for (uint32_t i = 0; i < m->beats_count; i++)
		add_host(build, m->beats[i].host);
	if (!build->phase->hosts_count)
		add_host(build, "host");
}
