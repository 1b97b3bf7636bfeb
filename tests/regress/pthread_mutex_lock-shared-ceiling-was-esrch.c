// SPDX-License-Identifier: BSD-2-Clause
// A process-shared mutex with a ceiling raises a real-time thread that locks it, each time.
#include "../posix/harness.h"

static pthread_mutex_t *m;

static int priority_in_force(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static void *locks(void *arg UNUSED)
{
	struct sched_param p = { .sched_priority = 5 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_mutex_lock(m));
		CHECK_EQ(priority_in_force(), 30);
		CHECK_OK(pthread_mutex_unlock(m));
		CHECK_EQ(priority_in_force(), 5);
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	m = shared_memory(sizeof(*m));
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 30));
	CHECK_OK(pthread_mutex_init(m, &a));
	join(spawn(locks, NULL));
	join(spawn(locks, NULL));
}
