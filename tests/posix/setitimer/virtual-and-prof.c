// SPDX-License-Identifier: BSD-2-Clause
// ITIMER_VIRTUAL and ITIMER_PROF count what all threads compute.
#include "../harness.h"
#include <sys/time.h>

static atomic_int ticks;

static void handler(int sig UNUSED)
{
	ticks++;
}

static void *body(void *arg UNUSED)
{
	uint64_t end = now_ns() + PATIENCE_MS * 1000000ull;

	while (ticks < 3 && now_ns() < end)
		for (volatile int i = 0; i < 100000; i++)
			;
	return NULL;
}

static void one(int which, int sig)
{
	struct itimerval v = { .it_interval.tv_usec = 10000, .it_value.tv_usec = 10000 };
	struct itimerval off = { 0 };
	pthread_t t[2];

	ticks = 0;
	on_signal(sig, handler, SA_RESTART);
	CHECK_OK(setitimer(which, &v, NULL));
	spawn_many(t, 2, body);
	join_many(t, 2);
	CHECK_OK(setitimer(which, &off, NULL));
	CHECK(ticks >= 3);
}

int main(void)
{
	one(ITIMER_VIRTUAL, SIGVTALRM);
	one(ITIMER_PROF, SIGPROF);
}
