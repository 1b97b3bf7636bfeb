// SPDX-License-Identifier: BSD-2-Clause
// On one processor a new thread with a higher real-time priority runs before pthread_create returns.
#include "../harness.h"

static atomic_bool has_run;

static void *high(void *arg)
{
	has_run = true;
	return arg;
}

static pthread_t create(int priority, void *(*fn)(void *))
{
	struct sched_param p = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&attr, &p));

	int rc = pthread_create(&t, &attr, fn, NULL);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	return t;
}

static void *low(void *arg)
{
	for (int priority = 3; priority < 7; priority++) {
		has_run = false;
		pthread_t t = create(priority, high);

		CHECK(has_run);
		join(t);
	}
	return arg;
}

static void use_one_cpu(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(set), &set));
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(sched_setaffinity(0, sizeof(one), &one));
}

int main(void)
{
	use_one_cpu();
	join(create(2, low));
}
