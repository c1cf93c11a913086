#include "agent/gate.h"

void gate_init(struct gate *gate)
{
	*gate = (struct gate){0};
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
}

void gate_release(struct gate *gate)
{
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->lock);
}

void gate_open(struct gate *gate, uint64_t at_ns)
{
	pthread_mutex_lock(&gate->lock);
	if (!gate->is_shut && !gate->is_open) {
		gate->is_open = true;
		gate->at_ns = at_ns;
	}
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

void gate_shut(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	if (!gate->is_open)
		gate->is_shut = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

bool gate_wait(struct gate *gate, uint64_t *at_ns)
{
	pthread_mutex_lock(&gate->lock);
	while (!gate->is_open && !gate->is_shut)
		pthread_cond_wait(&gate->changed, &gate->lock);
	bool is_open = gate->is_open;
	*at_ns = gate->at_ns;
	pthread_mutex_unlock(&gate->lock);
	return is_open;
}
