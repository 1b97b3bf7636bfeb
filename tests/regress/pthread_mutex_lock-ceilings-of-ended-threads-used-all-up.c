// SPDX-License-Identifier: BSD-2-Clause
// Any number of real-time threads may end while they hold a mutex with a ceiling: others lock theirs all the same.
#include "../posix/harness.h"

enum { MANY = 100 };

static pthread_mutex_t m[MANY];

static void *ends(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&m[(intptr_t)arg]));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 30);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 30));
	for (intptr_t i = 0; i < MANY; i++) {
		CHECK_OK(pthread_mutex_init(&m[i], &a));
		join(spawn(ends, (void *)i));
	}
}
