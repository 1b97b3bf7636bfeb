// SPDX-License-Identifier: BSD-2-Clause
// What main's policy was before there were threads they inherit, but those that ask for another.
#include "../harness.h"

enum { PRIORITY = 7 };

static void *inherits(void *arg)
{
	struct sched_param p;
	int policy;

	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_RR);
	CHECK_EQ(p.sched_priority, PRIORITY);
	CHECK_EQ(sched_getscheduler(0), SCHED_RR);
	return arg;
}

static void *is_other(void *arg)
{
	struct sched_param p;
	int policy;

	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_OTHER);
	return arg;
}

int main(void)
{
	struct sched_param p = { .sched_priority = PRIORITY };
	int rc = pthread_setschedparam(pthread_self(), SCHED_RR, &p);
	pthread_attr_t attr;
	pthread_t t;

	if (rc == EPERM)
		skip("may not use SCHED_RR");
	CHECK_OK(rc);
	join(spawn(inherits, NULL));
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	p.sched_priority = 0;
	CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_OTHER));
	CHECK_OK(pthread_attr_setschedparam(&attr, &p));
	CHECK_OK(pthread_create(&t, &attr, is_other, NULL));
	join(t);
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED));
	CHECK_OK(pthread_create(&t, &attr, inherits, NULL));
	join(t);
	inherits(NULL);
}
