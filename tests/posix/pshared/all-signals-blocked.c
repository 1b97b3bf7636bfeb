// SPDX-License-Identifier: BSD-2-Clause
// A thread that blocks every signal waits for shared objects like any other, and has its mask after.
#include "pshared.h"

static struct objects *o;
static atomic_int entered;

static void *body(void *arg UNUSED)
{
	sigset_t all, was;

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	atomic_fetch_add(&entered, 1);
	CHECK_OK(sem_wait(&o->sem));
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &was));
	CHECK_EQ(sigismember(&was, SIGSYS), 1);
	CHECK_EQ(sigismember(&was, SIGTERM), 1);
	return NULL;
}

int main(void)
{
	enum { N = 8 };
	pthread_t t[N];

	o = make_objects(1);
	spawn_many(t, N, body);
	WAIT_FOR(atomic_load(&entered) == N);
	settle();
	for (int i = 0; i < N; i++)
		CHECK_OK(sem_post(&o->sem));
	settle();
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_broadcast(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	join_many(t, N);
}
