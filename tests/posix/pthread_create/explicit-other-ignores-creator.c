// SPDX-License-Identifier: BSD-2-Clause
// With PTHREAD_EXPLICIT_SCHED and SCHED_OTHER a real-time creator makes an ordinary thread.
#include "../harness.h"

static void *child(void *arg UNUSED)
{
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	return NULL;
}

static void *creator(void *arg UNUSED)
{
	struct sched_param p = { .sched_priority = 3 }, zero = { 0 };
	pthread_attr_t a;
	pthread_t t;
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&a, SCHED_OTHER));
	CHECK_OK(pthread_attr_setschedparam(&a, &zero));
	CHECK_OK(pthread_create(&t, &a, child, NULL));
	join(t);
	return NULL;
}

int main(void)
{
	join(spawn(creator, NULL));
}
