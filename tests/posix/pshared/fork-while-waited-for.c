// SPDX-License-Identifier: BSD-2-Clause
// A process forks while its threads wait for shared objects; the child, which has none of those
// threads, waits and wakes with threads of its own.
#include "pshared.h"

enum { N = 20 };

static struct objects *o;
static atomic_int entered;

static void *body(void *arg UNUSED)
{
	atomic_fetch_add(&entered, 1);
	CHECK_OK(sem_wait(&o->sem));
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->passed++;
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

static void child(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	for (int i = 0; i < 2 * N; i++)
		CHECK_OK(sem_post(&o->sem));
	for (bool all = false; !all; sleep_ms(1)) {
		CHECK_OK(pthread_mutex_lock(&o->mutex));
		all = o->passed == 2 * N;
		CHECK_OK(pthread_mutex_unlock(&o->mutex));
	}
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_broadcast(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	join_many(t, N);
}

int main(void)
{
	pthread_t t[N];

	o = make_objects(1);
	spawn_many(t, N, body);
	WAIT_FOR(atomic_load(&entered) == N);
	settle();
	CHECK_EQ(in_child(child), 0);
	join_many(t, N);
}
