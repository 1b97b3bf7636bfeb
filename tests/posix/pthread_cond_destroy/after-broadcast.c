// SPDX-License-Identifier: BSD-2-Clause
// A condition may be destroyed and its memory freed right after a broadcast that left no waiter to
// wait again.
#include "../harness.h"

#define N 6

struct object {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int waiting;
	bool go;
};

static void *body(void *arg)
{
	struct object *o = *(struct object **)arg;

	pthread_mutex_lock(&o->lock);
	o->waiting++;
	while (!o->go)
		pthread_cond_wait(&o->cond, &o->lock);
	o->waiting--;
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

static int waiting(struct object *o)
{
	int n;

	pthread_mutex_lock(&o->lock);
	n = o->waiting;
	pthread_mutex_unlock(&o->lock);
	return n;
}

int main(void)
{
	for (int r = 0; r < 30; r++) {
		struct object *o = calloc(1, sizeof *o);
		pthread_t t[N];

		pthread_mutex_init(&o->lock, NULL);
		pthread_cond_init(&o->cond, NULL);
		for (int i = 0; i < N; i++)
			t[i] = spawn(body, &o);
		WAIT_FOR(waiting(o) == N);
		pthread_mutex_lock(&o->lock);
		o->go = true;
		CHECK_OK(pthread_cond_broadcast(&o->cond));
		pthread_mutex_unlock(&o->lock);
		CHECK_OK(pthread_cond_destroy(&o->cond));
		memset(&o->cond, 0xff, sizeof o->cond);
		join_many(t, N);
		free(o);
	}
}
