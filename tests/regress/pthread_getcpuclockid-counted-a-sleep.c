// SPDX-License-Identifier: BSD-2-Clause
// The CPU clock of a thread that slept, with a processor for itself, went on from the first question for it on.
#include "../posix/harness.h"

static atomic_bool stop;

static void *sleeps(void *arg UNUSED)
{
	while (!stop)
		sleep_ms(5);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(sleeps, NULL);
	uint64_t before, until;
	clockid_t clock;

	settle();		/* it sleeps */
	CHECK_OK(pthread_getcpuclockid(t, &clock));
	before = now_on(clock);
	until = now_ns() + 300000000;
	while (now_ns() < until)
		;
	CHECK(now_on(clock) - before < 150000000);
	stop = true;
	join(t);
}
