/* gate.h - where workers wait for the start, once.
 *
 * The session thread opens or shuts it, workers and the helper thread wait. Its lock is never held
 * over anything but its own members. */
#ifndef MUSTER_AGENT_GATE_H
#define MUSTER_AGENT_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open, is_shut;
	uint64_t at_ns;
};

void gate_init(struct gate *gate);
void gate_release(struct gate *gate);

/* Lets all through, to start at `at_ns`; turns all away. The first of them holds. */
void gate_open(struct gate *gate, uint64_t at_ns);
void gate_shut(struct gate *gate);

/* Waits for either; false: shut. */
bool gate_wait(struct gate *gate, uint64_t *at_ns);

#endif
