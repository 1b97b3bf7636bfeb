// SPDX-License-Identifier: BSD-2-Clause
// pthread_getcpuclockid gives a clock that reads another thread's CPU time.
#include "../harness.h"

static atomic_bool stop, running;

static void *spins(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	running = true;
	while (!stop)
		n = n + 1;
	return NULL;
}

static void *sleeps(void *arg UNUSED)
{
	while (!stop)
		sleep_ms(5);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(spins, NULL), b = spawn(sleeps, NULL);
	clockid_t ca, cb;
	uint64_t start;

	WAIT_FOR(running);
	CHECK_OK(pthread_getcpuclockid(a, &ca));
	CHECK_OK(pthread_getcpuclockid(b, &cb));
	start = now_on(ca);
	WAIT_FOR(now_on(ca) - start > 50000000);
	CHECK(now_on(cb) < now_on(ca));
	stop = true;
	join(a);
	join(b);
}
