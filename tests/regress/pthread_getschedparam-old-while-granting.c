// SPDX-License-Identifier: BSD-2-Clause
// The policy of another thread may be set, whatever it does; it and others see it.
#include "../posix/harness.h"

static atomic_bool changed;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	while (!changed)
		CHECK_OK(pthread_cond_wait(&c, &m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(sched_getscheduler(0), SCHED_FIFO);
	return arg;
}

int main(void)
{
	struct sched_param p = { .sched_priority = 4 };
	pthread_t t = spawn(waits, NULL);
	int policy, rc;

	settle();
	rc = pthread_setschedparam(t, SCHED_FIFO, &p);
	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_getschedparam(t, &policy, &p));
	CHECK_EQ(policy, SCHED_FIFO);
	CHECK_EQ(p.sched_priority, 4);
	CHECK_OK(pthread_setschedprio(t, 6));
	CHECK_OK(pthread_getschedparam(t, &policy, &p));
	CHECK_EQ(p.sched_priority, 6);
	CHECK_OK(pthread_mutex_lock(&m));
	changed = true;
	CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
}
