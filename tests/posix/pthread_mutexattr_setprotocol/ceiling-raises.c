// SPDX-License-Identifier: BSD-2-Clause
// The owner of a ceiling mutex has its ceiling as priority until it unlocks; of several, the highest.
#include "../harness.h"

static pthread_mutex_t low, high;

static int priority(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static void make(pthread_mutex_t *m, int ceiling)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, ceiling));
	CHECK_OK(pthread_mutex_init(m, &a));
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&low));
	CHECK_EQ(priority(), 10);
	CHECK_OK(pthread_mutex_trylock(&high));
	CHECK_EQ(priority(), 20);
	CHECK_OK(pthread_mutex_unlock(&low));
	CHECK_EQ(priority(), 20);
	CHECK_OK(pthread_mutex_unlock(&high));
	CHECK_EQ(priority(), 5);
	return arg;
}

int main(void)
{
	make(&low, 10);
	make(&high, 20);
	join(spawn(body, NULL));
}
