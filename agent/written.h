/* written.h - which parts of its own files this agent has written, kept from phase to phase.
 *
 * So a read phase knows what it must lay out first: a file that is not known here, also one that
 * an earlier process made and kept, counts as never written. By path; intervals are merged. Also
 * the generation that the next data written to a file or device have, so that nothing is written
 * over with itself. For one thread at a time; the questions may be asked by several. */
#ifndef MUSTER_AGENT_WRITTEN_H
#define MUSTER_AGENT_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct written;

struct written *written_new(void);
void written_free(struct written *written);

/* [from, to) of the file hold data now. */
void written_add(struct written *written, const char *path, uint64_t from, uint64_t to);

/* The file is new and empty, or is gone. The generation stays. */
void written_forget(struct written *written, const char *path);

/* The first stretch [*gap_from, *gap_to) within [from, to) that is not written; false when there
 * is none. */
bool written_gap(const struct written *written, const char *path, uint64_t from, uint64_t to,
		 uint64_t *gap_from, uint64_t *gap_to);

/* Bytes within [0, to) that are not written. */
uint64_t written_missing(const struct written *written, const char *path, uint64_t to);

/* The generation that the next data have: 0 at first. Setting it never lowers it. */
uint64_t written_generation(const struct written *written, const char *path);
void written_set_generation(struct written *written, const char *path, uint64_t generation);

#endif
