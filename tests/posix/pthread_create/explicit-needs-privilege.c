// SPDX-License-Identifier: BSD-2-Clause
// PTHREAD_EXPLICIT_SCHED with a real-time policy fails with EPERM without the privilege, and no
// thread is made.
#include "../harness.h"

#include <sys/resource.h>

static atomic_int ran;

static void *body(void *arg)
{
	ran++;
	return arg;
}

int main(void)
{
	struct rlimit none = { 0, 0 };
	struct sched_param p = { .sched_priority = 7 };
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(setrlimit(RLIMIT_RTPRIO, &none));
	if (geteuid() == 0)
		CHECK_OK(setuid(65534));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&a, SCHED_RR));
	CHECK_OK(pthread_attr_setschedparam(&a, &p));
	CHECK_EQ(pthread_create(&t, &a, body, NULL), EPERM);
	settle();
	CHECK_EQ(ran, 0);
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_INHERIT_SCHED));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	join(t);
	CHECK_EQ(ran, 1);
}
