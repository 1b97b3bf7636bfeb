// SPDX-License-Identifier: BSD-2-Clause
// A process-shared condition wakes a waiter in another process.
#include "../harness.h"

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int turn;
};

static struct shared *s;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&s->lock);
		while (s->turn != me)
			pthread_cond_wait(&s->cond, &s->lock);
		s->turn = !me;
		pthread_cond_broadcast(&s->cond);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

static void child(void)
{
	join(spawn(body, (void *)1));
}

int main(void)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_t t;
	int status;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&s->lock, &ma));
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&s->cond, &ca));
	t = spawn(body, NULL);
	status = in_child(child);
	join(t);
	CHECK_EQ(status, 0);
}
