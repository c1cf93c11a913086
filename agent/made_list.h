/* made_list.h - what the journal of made files says, event by event; no files are touched. */
#ifndef MUSTER_AGENT_MADE_LIST_H
#define MUSTER_AGENT_MADE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_file {
	char *path;
	uint64_t device, inode;
	uint64_t born_ns; /* platform_born_ns: inode numbers are given out again; 0: unknown */
	/* Of its directory, so that one whose file system is not mounted is told from one that
	 * muster's file has gone from; inode 0: not recorded. */
	uint64_t directory_inode, directory_born_ns;
	bool keep;
};

struct made_list {
	struct made_file *files;
	uint32_t count;
	char **wanted; /* about to be made; whether they were is not known */
	uint32_t wanted_count;
};
void made_list_release(struct made_list *list);

struct made_file *made_list_find(const struct made_list *list, const char *path);

void made_list_want(struct made_list *list, const char *path);
/* `file` is copied; it is not to be kept until that is said. */
void made_list_made(struct made_list *list, const struct made_file *file);
void made_list_keep(struct made_list *list, const char *path);
void made_list_drop(struct made_list *list, const char *path);
void made_list_gone(struct made_list *list, const char *path);

/* A line of the journal, "checksum event\n", for an event "want PATH" and so on. Freed by the
 * caller. */
char *made_list_line(const char *event);

/* What is behind the checksum of a line without its line break; NULL when it is damaged. */
const char *made_list_event(const char *line, size_t length);

/* Applies a line without its line break; false when it is damaged. */
bool made_list_apply(struct made_list *list, const char *line, size_t length);

#endif
