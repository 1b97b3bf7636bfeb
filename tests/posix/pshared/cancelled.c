// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for shared semaphores and conditions are cancelled, with their cleanup handlers,
// which have the mutex; a thread that waits for a mutex is not; and with cancellation disabled the
// wait goes on.
#include "pshared.h"

static struct objects *o;
static atomic_int entered, cleaned;

static void clean(void *arg UNUSED)
{
	atomic_fetch_add(&cleaned, 1);
}

static void clean_locked(void *arg UNUSED)
{
	atomic_fetch_add(&cleaned, 1);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
}

static void *in_sem(void *arg UNUSED)
{
	pthread_cleanup_push(clean, NULL);
	atomic_fetch_add(&entered, 1);
	sem_wait(&o->sem);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_cond(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	pthread_cleanup_push(clean_locked, NULL);
	atomic_fetch_add(&entered, 1);
	while (!o->gate)
		pthread_cond_wait(&o->cond, &o->mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *disabled(void *arg UNUSED)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	atomic_fetch_add(&entered, 1);
	CHECK_OK(sem_wait(&o->sem));
	pthread_setcancelstate(old, NULL);
	pthread_testcancel();
	return NULL;
}

static void *in_mutex(void *arg UNUSED)
{
	atomic_fetch_add(&entered, 1);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	atomic_fetch_add(&cleaned, 1);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

int main(void)
{
	enum { N = 16 };
	pthread_t t[N], d, m;

	o = make_objects(1);
	for (int i = 0; i < N; i++)
		t[i] = spawn(i % 2 ? in_sem : in_cond, NULL);
	d = spawn(disabled, NULL);
	WAIT_FOR(atomic_load(&entered) == N + 1);
	settle();
	CHECK_OK(pthread_cancel(d));
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < N; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&cleaned), N);
	CHECK_OK(sem_post(&o->sem));
	CHECK(join(d) == PTHREAD_CANCELED);

	CHECK_OK(pthread_mutex_lock(&o->mutex));
	m = spawn(in_mutex, NULL);
	WAIT_FOR(atomic_load(&entered) == N + 2);
	settle();
	CHECK_OK(pthread_cancel(m));
	settle();
	CHECK_EQ(atomic_load(&cleaned), N);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	join(m);
	CHECK_EQ(atomic_load(&cleaned), N + 1);
}
