// SPDX-License-Identifier: BSD-2-Clause
// pthread_getschedparam tells SCHED_OTHER and priority zero; setting the same succeeds; wrong
// values are EINVAL.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	struct sched_param p = { .sched_priority = 77 };
	int policy = -1, rc;

	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_OTHER);
	CHECK_EQ(p.sched_priority, 0);
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p));
	CHECK_EQ(pthread_setschedparam(pthread_self(), 99, &p), EINVAL);
	CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p), EINVAL);
	p.sched_priority = 1;
	rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	CHECK(rc == 0 || rc == EPERM);
	if (rc == 0) {
		CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
		CHECK_EQ(policy, SCHED_FIFO);
		CHECK_EQ(p.sched_priority, 1);
		CHECK_OK(pthread_setschedprio(pthread_self(), 2));
	}
	return NULL;
}

int main(void)
{
	int policy = -1;
	struct sched_param p;

	join(spawn(body, NULL));
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_OTHER);
}
