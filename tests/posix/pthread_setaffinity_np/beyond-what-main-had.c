// SPDX-License-Identifier: BSD-2-Clause
// A main that ran on one CPU when it made the first thread binds nobody for good: a thread goes to another CPU, one is
// made there, and a thread and main take both.
#include "../harness.h"

static cpu_set_t all, first, second;

static bool has(const cpu_set_t *want)
{
	cpu_set_t got;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof got, &got));
	return CPU_EQUAL(&got, want);
}

static void *takes(void *arg)
{
	CHECK(has(&first));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof all, arg));
	CHECK(has(arg));
	return NULL;
}

static void *takes_by_number(void *arg)
{
	CHECK_OK(sched_setaffinity(0, sizeof all, arg));
	CHECK(has(arg));
	return NULL;
}

static void *is_there(void *arg)
{
	CHECK(has(arg));
	return NULL;
}

/* More than there are: what is left of that is what all could have. */
static void *takes_too_many(void *arg UNUSED)
{
	cpu_set_t any, got;

	memset(&any, 0xff, sizeof any);
	CHECK_OK(sched_setaffinity(0, sizeof any, &any));
	CHECK_OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_COUNT(&got) >= CPU_COUNT(&all));
	return NULL;
}

static void *asks_for_none(void *arg UNUSED)
{
	cpu_set_t none;

	CPU_ZERO(&none);
	CPU_SET(CPU_SETSIZE - 1, &none);
	CHECK_EQ(pthread_setaffinity_np(pthread_self(), sizeof none, &none), EINVAL);
	CHECK(has(&first));
	return NULL;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	if (CPU_COUNT(&all) < 2)
		skip("one CPU is all");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all) && CPU_COUNT(&second) == 0)
			CPU_SET(i, CPU_COUNT(&first) ? &second : &first);
	CHECK_OK(sched_setaffinity(0, sizeof first, &first));
	join(spawn(takes, &second));
	join(spawn(takes, &all));
	join(spawn(takes_by_number, &first));
	join(spawn(takes_by_number, &all));
	join(spawn(takes_too_many, NULL));
	join(spawn(asks_for_none, NULL));
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setaffinity_np(&attr, sizeof second, &second));
	CHECK_OK(pthread_create(&t, &attr, is_there, &second));
	join(t);
	CHECK(has(&first));
	CHECK_OK(sched_setaffinity(0, sizeof all, &all));
	CHECK(has(&all));
	join(spawn(is_there, &all));
}
