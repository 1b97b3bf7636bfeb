// SPDX-License-Identifier: BSD-2-Clause
// Who holds a mutex with a ceiling, and asks for it once more in vain, has its priority as before.
#include "../posix/harness.h"

static int priority_in_force(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static void *asks_again(void *arg UNUSED)
{
	struct sched_param p = { .sched_priority = 5 };
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 30));
	CHECK_OK(pthread_mutex_init(&m, &a));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(priority_in_force(), 30);
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	CHECK_EQ(priority_in_force(), 30);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(priority_in_force(), 5);
	return NULL;
}

int main(void)
{
	join(spawn(asks_again, NULL));
}
