// SPDX-License-Identifier: BSD-2-Clause
// A thread whose priority is above the ceiling is refused the mutex with EINVAL.
#include "../harness.h"

static pthread_mutex_t m;

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 11 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_EQ(pthread_mutex_lock(&m), EINVAL);
	CHECK_EQ(pthread_mutex_trylock(&m), EINVAL);
	p.sched_priority = 10;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 10));
	CHECK_OK(pthread_mutex_init(&m, &a));
	join(spawn(body, NULL));
}
