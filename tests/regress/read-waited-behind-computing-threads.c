// SPDX-License-Identifier: BSD-2-Clause
// With more computing threads than processors, who waited for a descriptor or a timer had its turn milliseconds
// after that was due.  Counted in the CPU time that the process uses meanwhile, which others cannot take.
#include "../posix/harness.h"

enum { SPINNERS = 6, ROUNDS = 100, EACH_NS = 3000000 };

static int pair[2];

static void *spins(void *arg UNUSED)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

static void *answers(void *arg UNUSED)
{
	char c;

	while (read(pair[1], &c, 1) == 1)
		CHECK_EQ(write(pair[1], &c, 1), 1);
	return NULL;
}

static void asks(void)
{
	char c = 0;

	CHECK_EQ(write(pair[0], &c, 1), 1);
	CHECK_EQ(read(pair[0], &c, 1), 1);
}

static void sleeps(void)
{
	usleep(1000);
}

static void look(void (*wait)(void))
{
	int late = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = now_on(CLOCK_PROCESS_CPUTIME_ID);

		wait();
		late += now_on(CLOCK_PROCESS_CPUTIME_ID) - before > EACH_NS;
	}
	CHECK(late < ROUNDS * 9 / 10);		/* all, where this went wrong; seven of ten in the stress mode */
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	spawn(answers, NULL);
	for (int i = 0; i < SPINNERS; i++)
		spawn(spins, NULL);
	WAIT_FOR(now_on(CLOCK_PROCESS_CPUTIME_ID) > 30000000 * SPINNERS);	/* each has had its first slices */
	look(asks);
	look(sleeps);
	exit(0);
}
