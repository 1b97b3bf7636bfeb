// SPDX-License-Identifier: BSD-2-Clause
// A thread inherits its maker's own policy and priority, not what the maker is lent by those that wait for its mutex.
#include "../posix/lent.h"

static void *ordinary(void *arg)
{
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	CHECK(priority_in_force() < 0);
	return arg;
}

static void *real_time(void *arg)
{
	struct sched_param p;

	CHECK_EQ(sched_getscheduler(0), SCHED_RR);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 3);
	CHECK_EQ(priority_in_force(), 3);
	return arg;
}

static void makes_ordinary(void)
{
	join(spawn(ordinary, NULL));
}

static void makes_real_time(void)
{
	join(spawn(real_time, NULL));
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 3 };

	while_lent(makes_ordinary);
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_RR, &p));
	while_lent(makes_real_time);
	return arg;
}

int main(void)
{
	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	join(spawn(body, NULL));
}
