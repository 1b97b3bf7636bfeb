// SPDX-License-Identifier: BSD-2-Clause
// A thread created with PTHREAD_EXPLICIT_SCHED has the policy and priority of its attributes; who
// may not give them is told EPERM.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	struct sched_param p;
	int policy = -1;

	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_FIFO);
	CHECK_EQ(p.sched_priority, 7);
	CHECK_EQ(sched_getscheduler(0), SCHED_FIFO);
	return arg;
}

int main(void)
{
	struct sched_param p = { .sched_priority = 7 };
	pthread_attr_t a;
	pthread_t t;
	int rc;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&a, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&a, &p));
	rc = pthread_create(&t, &a, body, NULL);
	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	join(t);
}
