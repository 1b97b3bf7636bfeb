// SPDX-License-Identifier: BSD-2-Clause
// The owner of a recursive ceiling mutex may change its ceiling, and then has the new one; with an
// error-checking one that is EDEADLK.
#include "../harness.h"

static pthread_mutex_t make(int type)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 10));
	CHECK_OK(pthread_mutex_init(&m, &a));
	return m;
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 2 };
	pthread_mutex_t recursive = make(PTHREAD_MUTEX_RECURSIVE), check = make(PTHREAD_MUTEX_ERRORCHECK);
	int old, rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_setprioceiling(&recursive, 20, &old));
	CHECK_EQ(old, 10);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 20);
	CHECK_OK(pthread_mutex_unlock(&recursive));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 2);
	CHECK_OK(pthread_mutex_lock(&check));
	CHECK_EQ(pthread_mutex_setprioceiling(&check, 20, &old), EDEADLK);
	CHECK_OK(pthread_mutex_unlock(&check));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
