// SPDX-License-Identifier: BSD-2-Clause
// Every timed wait for a shared object ends at its time, and the object works on: whoever waits
// beside is woken by the one wake-up that there is.
#include "pshared.h"

static struct objects *o;

static void *cond_body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->passed++;
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

static void *sem_body(void *arg UNUSED)
{
	CHECK_OK(sem_wait(&o->sem));
	return NULL;
}

static void *times_out(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 30), span = ms_span(20);

	CHECK_ERRNO(sem_timedwait(&o->sem, &at), ETIMEDOUT);
	at = in_ms(CLOCK_MONOTONIC, 30);
	CHECK_ERRNO(sem_clockwait(&o->sem, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	at = in_ms(CLOCK_MONOTONIC, 30);
	CHECK_EQ(pthread_rwlock_clockrdlock(&o->rwlock, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	at = in_ms(CLOCK_REALTIME, 30);
	CHECK_EQ(pthread_rwlock_timedwrlock(&o->rwlock, &at), ETIMEDOUT);
	CHECK_ERRNO(futex(&o->word, SHARED_WAIT_OP, 0, &span), ETIMEDOUT);
	CHECK_ERRNO(futex(&o->word, SHARED_WAIT_OP, 1, NULL), EAGAIN);
	at = in_ms(CLOCK_MONOTONIC, 30);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	CHECK_EQ(pthread_cond_timedwait(&o->cond, &o->mutex, &at), ETIMEDOUT);
	at = in_ms(CLOCK_REALTIME, 30);
	CHECK_EQ(pthread_cond_clockwait(&o->cond, &o->mutex, CLOCK_REALTIME, &at), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

static void *mutex_times_out(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(pthread_mutex_timedlock(&o->mutex, &at), ETIMEDOUT);
	at = in_ms(CLOCK_MONOTONIC, 30);
	CHECK_EQ(pthread_mutex_clocklock(&o->mutex, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	return NULL;
}

int main(void)
{
	enum { N = 20 };
	pthread_t t[N], cond, sem;

	o = make_objects(2);
	CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
	cond = spawn(cond_body, NULL);
	sem = spawn(sem_body, NULL);
	WAIT_FOR(__atomic_load_n(&o->passed, __ATOMIC_SEQ_CST) == 1);
	spawn_many(t, N, times_out);
	join_many(t, N);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	spawn_many(t, N, mutex_times_out);
	join_many(t, N);
	o->gate = 1;
	CHECK_OK(pthread_cond_signal(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(sem_post(&o->sem));
	join(cond);
	join(sem);
	CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
	CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
}
