// SPDX-License-Identifier: BSD-2-Clause
// A thread's CPU time never goes back: not when the second thread starts, nor when the thread asks
// for a CPU mask of its own.  And it is time on a processor: what others had is not in it.
#include "../posix/harness.h"

static uint64_t seen;

static void look(void)
{
	uint64_t now = now_on(CLOCK_THREAD_CPUTIME_ID);

	CHECK(now >= seen);
	seen = now;
}

static void compute_ms(uint64_t ms)
{
	uint64_t end = now_on(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (now_on(CLOCK_THREAD_CPUTIME_ID) < end)
		look();
}

static void *other(void *arg UNUSED)
{
	cpu_set_t set;

	seen = 0;
	look();
	compute_ms(10);
	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && CPU_COUNT(&set) > 1)
			CPU_CLR(cpu, &set);
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
	look();
	CHECK(seen >= 10000000);
	compute_ms(10);
	return NULL;
}

/* What the threads say that they had is what the process had. */
static void *computes(void *arg UNUSED)
{
	uint64_t start = now_on(CLOCK_THREAD_CPUTIME_ID);

	while (now_on(CLOCK_THREAD_CPUTIME_ID) - start < 30000000)
		;
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	uint64_t before;

	compute_ms(30);
	look();
	join(spawn(other, NULL));
	seen = 0;
	look();
	CHECK(seen >= 30000000);
	before = now_on(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < 4; i++)
		t[i] = spawn(computes, NULL);
	join_many(t, 4);
	CHECK(now_on(CLOCK_PROCESS_CPUTIME_ID) - before >= 119000000);
}
