// SPDX-License-Identifier: BSD-2-Clause
// SCHED_RESET_ON_FORK beside a policy: it is set, and told, for oneself and for another thread; children do not have it.
#include "../harness.h"

static void *waits(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

static void *child_policy(void *arg)
{
	*(int *)arg = sched_getscheduler(0);
	return NULL;
}

int main(void)
{
	struct sched_param p = { .sched_priority = 20 }, told;
	pthread_barrier_t barrier;
	int policy;

	if (sched_setscheduler(0, SCHED_FIFO, &p))
		return 77;
	p.sched_priority = 0;
	CHECK_EQ(sched_setscheduler(0, SCHED_OTHER, &p), 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_t t = spawn(waits, &barrier);

	p.sched_priority = 20;
	CHECK_EQ(pthread_setschedparam(t, SCHED_FIFO | SCHED_RESET_ON_FORK, &p), 0);
	CHECK_EQ(pthread_getschedparam(t, &policy, &told), 0);
	CHECK_EQ(policy, SCHED_FIFO | SCHED_RESET_ON_FORK);
	CHECK_EQ(told.sched_priority, 20);
	p.sched_priority = 0;
	CHECK_EQ(pthread_setschedparam(t, SCHED_OTHER, &p), 0);
	pthread_barrier_wait(&barrier);
	join(t);

	p.sched_priority = 20;
	CHECK_EQ(sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &p), 0);
	CHECK_EQ(sched_getscheduler(0), SCHED_RR | SCHED_RESET_ON_FORK);
	join(spawn(child_policy, &policy));
	CHECK_EQ(policy, SCHED_OTHER);
	p.sched_priority = 120;
	CHECK_EQ(sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &p), -1);
	CHECK_EQ(errno, EINVAL);
	return 0;
}
