// SPDX-License-Identifier: BSD-2-Clause
// CLOCK_THREAD_CPUTIME_ID grows while the thread computes and (nearly) not while it waits or
// others compute.
#include "../harness.h"

static atomic_bool stop;

static void compute(uint64_t ns)
{
	uint64_t start = now_on(CLOCK_THREAD_CPUTIME_ID);

	while (now_on(CLOCK_THREAD_CPUTIME_ID) - start < ns)
		;
}

static void *spins(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	while (!stop)
		n = n + 1;
	return NULL;
}

static void *body(void *arg UNUSED)
{
	uint64_t a = now_on(CLOCK_THREAD_CPUTIME_ID), b, wall = now_ns();

	compute(20000000);
	b = now_on(CLOCK_THREAD_CPUTIME_ID);
	CHECK(b - a >= 20000000);
	CHECK(b - a <= now_ns() - wall + 15000000);
	sleep_ms(100);
	CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) - b < 30000000);
	return NULL;
}

int main(void)
{
	pthread_t s = spawn(spins, NULL), t = spawn(body, NULL);

	join(t);
	stop = true;
	join(s);
}
