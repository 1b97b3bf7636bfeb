// SPDX-License-Identifier: BSD-2-Clause
// A mutex that inherits priority is its owner's, whatever its type: who unlocks it, or waits for a condition with it,
// without holding it is told EPERM, and it stays as it was.
#include "../harness.h"

static pthread_mutex_t m;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *other(void *arg)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);

	CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
	CHECK_EQ(pthread_cond_timedwait(&cond, &m, &soon), EPERM);
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	return arg;
}

static void *takes_it(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

static void test(int type)
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&m, &a));
	CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
	CHECK_OK(pthread_mutex_lock(&m));
	join(spawn(other, NULL));
	t = spawn(takes_it, NULL);
	settle();
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
	CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
	CHECK_OK(pthread_mutex_destroy(&m));
}

int main(void)
{
	test(PTHREAD_MUTEX_NORMAL);
	test(PTHREAD_MUTEX_ADAPTIVE_NP);
	test(PTHREAD_MUTEX_ERRORCHECK);
	test(PTHREAD_MUTEX_RECURSIVE);
}
