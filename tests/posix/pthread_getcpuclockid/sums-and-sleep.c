// SPDX-License-Identifier: BSD-2-Clause
// A thread's CPU clock stands still while it sleeps, and the process's runs for all threads.
#include "../harness.h"

static void *computes(void *arg)
{
	clockid_t own;

	CHECK_OK(pthread_getcpuclockid(pthread_self(), &own));
	while (now_on(own) < 30000000)
		;
	uint64_t before = now_on(own);

	sleep_ms(50);
	CHECK(now_on(own) - before < 30000000);
	return arg;
}

int main(void)
{
	uint64_t before = now_on(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t t[3];

	spawn_many(t, 3, computes);
	join_many(t, 3);
	CHECK(now_on(CLOCK_PROCESS_CPUTIME_ID) - before >= 85000000);
}
