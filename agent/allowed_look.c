#include "agent/allowed_look.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/log.h"
#include "common/memory.h"

struct looking {
	const char *list;
	char **paths;
	uint32_t count;
};

static struct looking *looking_new(const char *list, const struct name *names, uint32_t count)
{
	struct looking *looking = mem_new(1, sizeof(*looking));

	looking->list = list;
	looking->paths = mem_new(count, sizeof(*looking->paths));
	for (; looking->count < count; looking->count++)
		looking->paths[looking->count] = mem_text(names[looking->count].name);
	return looking;
}

static void *look(void *argument)
{
	struct looking *looking = argument;
	struct stat st;

	for (uint32_t i = 0; i < looking->count; i++) {
		/* It may come later, as what is mounted does. */
		if (stat(looking->paths[i], &st) < 0)
			log_warning("%s: '%s' cannot be used so far: %s", looking->list,
				    looking->paths[i], strerror(errno));
		free(looking->paths[i]);
	}
	free(looking->paths);
	free(looking);
	return NULL;
}

static void start(const char *list, const struct name *names, uint32_t count)
{
	pthread_t thread;

	if (count == 0)
		return;
	struct looking *looking = looking_new(list, names, count);
	if (pthread_create(&thread, NULL, look, looking) == 0)
		pthread_detach(thread);
	else
		look(looking);
}

void allowed_look(const struct agent_config *config)
{
	start("allow_paths", config->allow_paths, config->allow_paths_count);
	start("allow_devices", config->allow_devices, config->allow_devices_count);
}
