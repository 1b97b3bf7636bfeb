// SPDX-License-Identifier: BSD-2-Clause
// Beside threads that woke each other all the time, those that compute had turns of microseconds, if a thread waited
// for a descriptor: whoever held a lock then kept others waiting for seconds.
#include "../posix/harness.h"

enum { SPINNERS = 4, SHARE = 60 };

static int pipe_fds[2];

static void *spins(void *arg UNUSED)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

static void *reads(void *arg UNUSED)
{
	char c;

	CHECK_EQ(read(pipe_fds[0], &c, 1), 1);
	return NULL;
}

static void *creates(void *arg UNUSED)
{
	for (;;)
		join(spawn(nothing, NULL));
	return NULL;
}

static uint64_t cpu_of(pthread_t t)
{
	clockid_t clock;

	CHECK_OK(pthread_getcpuclockid(t, &clock));
	return now_on(clock);
}

int main(void)
{
	uint64_t begun, had[SPINNERS];
	pthread_t spinners[SPINNERS];

	CHECK_OK(pipe(pipe_fds));
	spawn(reads, NULL);
	spawn(creates, NULL);
	spawn(creates, NULL);
	for (int i = 0; i < SPINNERS; i++)
		spinners[i] = spawn(spins, NULL);
	WAIT_FOR(now_on(CLOCK_PROCESS_CPUTIME_ID) > 30000000 * SPINNERS);	/* each has had its first slices */
	begun = now_on(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < SPINNERS; i++)
		had[i] = cpu_of(spinners[i]);
	while (now_on(CLOCK_PROCESS_CPUTIME_ID) < begun + 1200000000)
		sleep_ms(50);
	for (int i = 0; i < SPINNERS; i++) {
		uint64_t got = cpu_of(spinners[i]) - had[i];

		CHECK(got >= 1200000000 / SHARE);	/* a tenth of a fair share */
	}
	exit(0);
}
