/* agent_config_fuzz.c - any bytes as agent.yaml: taken without a word, or refused with one; what is
 * taken has whole paths and an endpoint. */
#include <stdlib.h>

#include "agent/config.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void require_whole(const char *path)
{
	if (!path || path[0] != '/')
		abort();
}

static void use(const struct agent_config *config)
{
	if (!config->listen || !config->spool_limit || !config->spool_keep || !config->memory)
		abort();
	require_whole(config->spool);
	for (uint32_t i = 0; i < config->allow_paths_count; i++)
		require_whole(config->allow_paths[i].name);
	for (uint32_t i = 0; i < config->allow_devices_count; i++)
		require_whole(config->allow_devices[i].name);
	if (!config->key != !config->controllers_count)
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct agent_config config;
	struct yaml_errors errors = {.file = "agent.yaml"};
	bool read = agent_config_parse(&config, (const char *)data, size, &errors);

	if (read != (errors.count == 0))
		abort();
	if (read)
		use(&config);
	accepted = read;
	record_release(&agent_config_table, &config);
	yaml_errors_release(&errors);
	return 0;
}
