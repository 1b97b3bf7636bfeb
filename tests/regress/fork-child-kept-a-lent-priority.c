// SPDX-License-Identifier: BSD-2-Clause
// A child has its maker's own policy and priority, not what the maker is lent by those that wait for its mutex.
#include "../posix/lent.h"

static int own;		/* less than 0: the policy is SCHED_OTHER */

static void is_own(void)
{
	struct sched_param p;

	CHECK(own < 0 ? priority_in_force() < 0 : priority_in_force() == own);
	CHECK_EQ(sched_getscheduler(0), own < 0 ? SCHED_OTHER : SCHED_RR);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, own < 0 ? 0 : own);
	join(spawn(nothing, NULL));
}

static void forks(void)
{
	CHECK_EQ(in_child(is_own), 0);
	CHECK_EQ(priority_in_force(), LENT);
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 3 };

	own = -1;
	while_lent(forks);
	own = 3;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_RR, &p));
	while_lent(forks);
	return arg;
}

int main(void)
{
	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	join(spawn(body, NULL));
}
