// SPDX-License-Identifier: BSD-2-Clause
// An ordinary thread that holds a priority-inheritance mutex does not keep a real-time thread waiting
// for ever, and is an ordinary one afterwards.
#include "../harness.h"

static pthread_mutex_t m;
static atomic_bool held, waits;

static void *low(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	held = true;
	WAIT_FOR(waits);
	sleep_ms(50);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	return arg;
}

static void *high(void *arg)
{
	struct sched_param p = { .sched_priority = 9 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	WAIT_FOR(held);
	waits = true;
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[2];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t[0] = spawn(low, NULL);
	t[1] = spawn(high, NULL);
	join_many(t, 2);
}
