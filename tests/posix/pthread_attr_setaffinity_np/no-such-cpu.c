// SPDX-License-Identifier: BSD-2-Clause
// pthread_create with a CPU mask that allows no CPU of the machine says EINVAL, and starts nothing.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	abort();
}

int main(void)
{
	pthread_attr_t a;
	cpu_set_t set;
	pthread_t t;

	CPU_ZERO(&set);
	CPU_SET(CPU_SETSIZE - 1, &set);
	if (sched_setaffinity(0, sizeof set, &set) == 0)
		skip("this machine has so many");
	CHECK_EQ(errno, EINVAL);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setaffinity_np(&a, sizeof set, &set));
	CHECK_EQ(pthread_create(&t, &a, body, NULL), EINVAL);
	CHECK_OK(pthread_attr_destroy(&a));
}
