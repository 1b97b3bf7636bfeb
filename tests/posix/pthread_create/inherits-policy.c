// SPDX-License-Identifier: BSD-2-Clause
// With PTHREAD_INHERIT_SCHED, the default, a new thread has its creator's policy and priority.
#include "../harness.h"

static void *child(void *arg UNUSED)
{
	struct sched_param p;

	CHECK_EQ(sched_getscheduler(0), SCHED_RR);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 3);
	return NULL;
}

static void *creator(void *arg UNUSED)
{
	struct sched_param p = { .sched_priority = 3 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_RR, &p);

	if (rc == EPERM)
		skip("may not use SCHED_RR");
	CHECK_OK(rc);
	join(spawn(child, NULL));
	return NULL;
}

int main(void)
{
	join(spawn(creator, NULL));
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
}
