// SPDX-License-Identifier: BSD-2-Clause
// ITIMER_REAL set by a thread that then ends goes on for the process.
#define NO_WATCHDOG
#include "../harness.h"
#include <sys/time.h>

static atomic_int ticks;

static void handler(int sig UNUSED)
{
	ticks++;
}

static void *body(void *arg UNUSED)
{
	struct itimerval v = { .it_interval.tv_usec = 5000, .it_value.tv_usec = 5000 };

	CHECK_OK(setitimer(ITIMER_REAL, &v, NULL));
	return NULL;
}

int main(void)
{
	struct itimerval off = { 0 }, old;

	on_signal(SIGALRM, handler, SA_RESTART);
	join(spawn(body, NULL));
	WAIT_FOR(ticks >= 5);
	CHECK_OK(setitimer(ITIMER_REAL, &off, &old));
	CHECK_EQ(old.it_interval.tv_usec, 5000);
}
