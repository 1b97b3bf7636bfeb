// SPDX-License-Identifier: BSD-2-Clause
// However many threads there are, each has the CPU that the attributes name, and then the one that it is given by another.
#include "../harness.h"

enum { THREADS = 150 };

static cpu_set_t one;
static atomic_bool may_go;

static void *looks(void *arg)
{
	cpu_set_t got;

	if (arg)
		WAIT_FOR(may_go);
	CHECK_OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_EQUAL(&got, &one));
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	pthread_attr_t attr;

	if (!has_two_cpus())
		skip("one CPU is all");
	one = one_cpu();
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setaffinity_np(&attr, sizeof one, &one));
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&t[i], &attr, looks, NULL));
	join_many(t, THREADS);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(looks, &one);
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_setaffinity_np(t[i], sizeof one, &one));
	may_go = true;
	join_many(t, THREADS);
}
