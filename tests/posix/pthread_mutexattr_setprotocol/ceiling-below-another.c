// SPDX-License-Identifier: BSD-2-Clause
// A thread that a ceiling has raised may lock a mutex with a lower ceiling, as long as its own priority is
// not above that one; the highest ceiling held counts.
#include "../harness.h"

static pthread_mutex_t high, low;

static int priority(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 4 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&high));
	CHECK_EQ(priority(), 8);
	CHECK_OK(pthread_mutex_lock(&low));
	CHECK_EQ(priority(), 8);
	CHECK_OK(pthread_mutex_unlock(&high));
	CHECK_EQ(priority(), 5);
	CHECK_OK(pthread_mutex_trylock(&high));
	CHECK_EQ(priority(), 8);
	CHECK_OK(pthread_mutex_unlock(&high));
	CHECK_OK(pthread_mutex_unlock(&low));
	CHECK_EQ(priority(), 4);

	CHECK_OK(pthread_mutex_lock(&high));
	p.sched_priority = 6;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	CHECK_EQ(pthread_mutex_lock(&low), EINVAL);
	CHECK_OK(pthread_mutex_unlock(&high));
	return arg;
}

static void make(pthread_mutex_t *m, int ceiling)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, ceiling));
	CHECK_OK(pthread_mutex_init(m, &a));
}

int main(void)
{
	make(&high, 8);
	make(&low, 5);
	join(spawn(body, NULL));
}
