// SPDX-License-Identifier: BSD-2-Clause
// pthread_getattr_np tells what a thread runs with: its CPU mask, policy and priority, and whether
// it was made with a policy of its own.
#include "../harness.h"
#include <linux/capability.h>
#include <sys/prctl.h>

static void check(pthread_t t, int inherits)
{
	struct sched_param param, now;
	cpu_set_t told, mask;
	pthread_attr_t a;
	int got, policy;

	CHECK_OK(pthread_getattr_np(t, &a));
	CHECK_OK(pthread_getaffinity_np(t, sizeof mask, &mask));
	CHECK_OK(pthread_attr_getaffinity_np(&a, sizeof told, &told));
	CHECK(CPU_EQUAL(&told, &mask));
	CHECK_OK(pthread_getschedparam(t, &policy, &now));
	CHECK_OK(pthread_attr_getschedpolicy(&a, &got));
	CHECK_EQ(got, policy);
	CHECK_OK(pthread_attr_getschedparam(&a, &param));
	CHECK_EQ(param.sched_priority, now.sched_priority);
	CHECK_OK(pthread_attr_getinheritsched(&a, &got));
	CHECK_EQ(got, inherits);
	CHECK_OK(pthread_attr_destroy(&a));
}

static void *body(void *arg)
{
	check(pthread_self(), *(int *)arg);
	return NULL;
}

int main(void)
{
	int inherits = PTHREAD_INHERIT_SCHED, its_own = PTHREAD_EXPLICIT_SCHED;
	cpu_set_t all, one;
	pthread_attr_t a;
	pthread_t t;

	join(spawn(body, &inherits));

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_create(&t, &a, body, &its_own));
	join(t);

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	CHECK_OK(pthread_attr_setaffinity_np(&a, sizeof one, &one));
	CHECK_OK(pthread_create(&t, &a, body, &its_own));
	join(t);

	if (geteuid() == 0 && prctl(PR_CAPBSET_READ, CAP_SYS_NICE, 0, 0, 0) == 1) {
		struct sched_param param = { .sched_priority = 2 };

		CHECK_OK(pthread_attr_setschedpolicy(&a, SCHED_RR));
		CHECK_OK(pthread_attr_setschedparam(&a, &param));
		CHECK_OK(pthread_create(&t, &a, body, &its_own));
		join(t);
	}
	CHECK_OK(pthread_attr_destroy(&a));
}
