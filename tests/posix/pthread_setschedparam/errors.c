// SPDX-License-Identifier: BSD-2-Clause
// pthread_setschedparam: EINVAL for a bad policy or priority, and what was stays.
#include "../harness.h"

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 1 };
	int policy = -1;

	CHECK_EQ(pthread_setschedparam(pthread_self(), 4711, &p), EINVAL);
	CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p), EINVAL);
	p.sched_priority = 1000;
	CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p), EINVAL);
	CHECK_EQ(pthread_setschedprio(pthread_self(), 1000), EINVAL);
	CHECK_OK(pthread_setschedprio(pthread_self(), 0));
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_OTHER);
	CHECK_EQ(p.sched_priority, 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
