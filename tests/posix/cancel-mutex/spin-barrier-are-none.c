// SPDX-License-Identifier: BSD-2-Clause
// Barriers, spin locks, once, getspecific, kill and self are no cancellation points: a pending request
// waits.
#include "../harness.h"

static pthread_barrier_t b;
static pthread_spinlock_t s;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static bool all;

static void init(void)
{
}

static void *body(void *arg)
{
	CHECK_OK(pthread_cancel(pthread_self()));
	CHECK_EQ(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK_OK(pthread_spin_lock(&s));
	CHECK_OK(pthread_spin_unlock(&s));
	CHECK_OK(pthread_once(&once, init));
	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_setspecific(key, NULL));
	CHECK_OK(pthread_kill(pthread_self(), 0));
	sched_yield();
	all = true;
	pthread_testcancel();
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_barrier_init(&b, NULL, 1));
	CHECK_OK(pthread_spin_init(&s, 0));
	CHECK_OK(pthread_key_create(&key, NULL));
	CHECK(join(spawn(body, NULL)) == PTHREAD_CANCELED);
	CHECK(all);
}
