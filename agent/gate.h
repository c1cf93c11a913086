/* gate.h - where workers wait for the start to be known, once.
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
	pthread_cond_t changed, came;
	bool is_open, is_shut;
	uint32_t waiting; /* who wait or have waited */
};

void gate_init(struct gate *gate);
void gate_release(struct gate *gate);

/* Lets all through; turns all away. The first of them holds. */
void gate_open(struct gate *gate);
void gate_shut(struct gate *gate);

/* Waits for either; false: shut. */
bool gate_wait(struct gate *gate);

/* Waits until `count` threads wait there, or have. */
void gate_gather(struct gate *gate, uint32_t count);

#endif
