#include "controller/assembly.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/memory.h"
#include "common/random.h"

/* ---- signals ---- */

static volatile int interrupted;

static void on_signal(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	/* The second one ends the program: agents notice by themselves. */
	interrupted = 1;
	sigaction(number, &action, NULL);
}

const volatile int *assembly_take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	return &interrupted;
}

/* ---- gathering ---- */

void assembly_name_run(char *name, size_t size)
{
	time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	size_t used = strftime(name, size, "%Y%m%d-%H%M%S", &parts);
	snprintf(name + used, size - used, "-%04x", (unsigned)(random_seed() & 0xffff));
}

int assembly_init(struct assembly *assembly, const struct plan *plan, const struct options *options,
		  struct error *err)
{
	plan_hosts_expand(&assembly->hosts, plan);
	return keyring_read(&assembly->keyring, plan, &assembly->hosts, options->key,
			    options->insecure, err);
}

void assembly_adopt(struct assembly *assembly, const struct journal_content *before)
{
	journal_adopt(before, &assembly->fleet);
	for (uint32_t h = 0; h < before->hosts_count; h++)
		local_adopt(&assembly->local, before->hosts[h].directory);
}

int assembly_gather(struct assembly *assembly, const struct plan *plan, const volatile int *stop,
		    struct error *err)
{
	if (local_start(&assembly->local, &assembly->hosts, &assembly->keyring, err) < 0)
		return -1;
	if (fleet_open(&assembly->fleet, plan, &assembly->hosts, &assembly->keyring,
		       &assembly->local, err) < 0 ||
	    fleet_join(&assembly->fleet, stop, err) < 0)
		return -1;
	fleet_meet_clocks(&assembly->fleet, stop);
	return 0;
}

void assembly_dismiss(struct assembly *assembly)
{
	if (assembly->fleet.hosts)
		fleet_release(&assembly->fleet);
}

void assembly_release(struct assembly *assembly)
{
	fleet_close(&assembly->fleet);
	local_stop(&assembly->local);
	keyring_release(&assembly->keyring);
	plan_hosts_release(&assembly->hosts);
}
