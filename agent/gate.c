#include "agent/gate.h"

void gate_init(struct gate *gate)
{
	*gate = (struct gate){0};
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
	pthread_cond_init(&gate->came, NULL);
}

void gate_release(struct gate *gate)
{
	pthread_cond_destroy(&gate->came);
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->lock);
}

void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	if (!gate->is_shut)
		gate->is_open = true;
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

bool gate_wait(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->waiting++;
	pthread_cond_signal(&gate->came);
	while (!gate->is_open && !gate->is_shut)
		pthread_cond_wait(&gate->changed, &gate->lock);
	bool is_open = gate->is_open;
	pthread_mutex_unlock(&gate->lock);
	return is_open;
}

void gate_gather(struct gate *gate, uint32_t count)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->waiting < count)
		pthread_cond_wait(&gate->came, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}
