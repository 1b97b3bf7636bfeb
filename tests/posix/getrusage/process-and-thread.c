// SPDX-License-Identifier: BSD-2-Clause
// RUSAGE_THREAD counts the calling thread only, RUSAGE_SELF all threads.
#include "../harness.h"
#include <sys/resource.h>

static uint64_t used(int who)
{
	struct rusage u;

	CHECK_OK(getrusage(who, &u));
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000ull +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void *body(void *arg UNUSED)
{
	uint64_t start = now_on(CLOCK_PROCESS_CPUTIME_ID);

	while (now_on(CLOCK_PROCESS_CPUTIME_ID) - start < 60000000)
		;
	CHECK(used(RUSAGE_THREAD) >= 30000);
	return NULL;
}

static void *idle(void *arg UNUSED)
{
	CHECK(used(RUSAGE_THREAD) < 30000);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
	join(spawn(idle, NULL));
	CHECK(used(RUSAGE_SELF) >= 50000);
}
