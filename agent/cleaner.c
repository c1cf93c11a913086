#include "agent/cleaner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/record.h"

struct cleaner {
	struct made_files *files;
	bool keep;
	struct released released; /* the thread's until `done` */
	atomic_bool done;
	bool joinable;
	pthread_t thread;
};

static void note(void *context, const char *path, const char *error)
{
	struct released *released = context;

	if (error) {
		struct name *left = RECORD_APPEND(released->left, released->left_count);
		left->name = mem_format("%s: %s", path, error);
	} else {
		struct name *removed = RECORD_APPEND(released->removed, released->removed_count);
		removed->name = mem_text(path);
	}
}

static void *clean(void *argument)
{
	struct cleaner *cleaner = argument;

	if (cleaner->keep)
		made_files_keep_all(cleaner->files);
	made_files_remove_all(cleaner->files, note, &cleaner->released);
	atomic_store(&cleaner->done, true);
	return NULL;
}

struct cleaner *cleaner_new(struct made_files *files, bool keep)
{
	struct cleaner *cleaner = mem_new(1, sizeof(*cleaner));

	cleaner->files = files;
	cleaner->keep = keep;
	cleaner->joinable = pthread_create(&cleaner->thread, NULL, clean, cleaner) == 0;
	if (!cleaner->joinable)
		clean(cleaner);
	return cleaner;
}

bool cleaner_is_done(struct cleaner *cleaner)
{
	return atomic_load(&cleaner->done);
}

const struct released *cleaner_released(const struct cleaner *cleaner)
{
	return &cleaner->released;
}

void cleaner_free(struct cleaner *cleaner)
{
	if (!cleaner)
		return;
	if (cleaner->joinable)
		pthread_join(cleaner->thread, NULL);
	record_release(&released_table, &cleaner->released);
	free(cleaner);
}
