// SPDX-License-Identifier: BSD-2-Clause
// What pthread_setschedprio sets while a mutex with a ceiling is held counts when it is unlocked, and not before.
#include "../posix/lent.h"

static pthread_mutex_t m;

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };
	int policy, rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_setschedprio(pthread_self(), 7));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 30);
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_FIFO);
	CHECK_EQ(p.sched_priority, 7);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 7);
	CHECK_EQ(pthread_setschedprio(pthread_self(), 1000), EINVAL);
	return arg;
}

int main(void)
{
	mutex_with_ceiling(&m, 30);
	join(spawn(body, NULL));
}
