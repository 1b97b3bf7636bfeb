// SPDX-License-Identifier: BSD-2-Clause
// A timer's signal that was pending when the first thread was made was taken from the kernel and sent again: if the
// timer expired in between, the kernel kept that one only, and what the first had stood for was lost.
#include "../posix/harness.h"

enum { PERIOD_NS = 50000, PENDING_MS = 10, CHILDREN = 60, LOST = PENDING_MS * 1000000 / PERIOD_NS / 2 };

static atomic_long counted;
static timer_t t;

static void handler(int sig UNUSED)
{
	counted += 1 + timer_getoverrun(t);
}

static void child(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = { .tv_nsec = PERIOD_NS }, .it_interval = { .tv_nsec = PERIOD_NS } };

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	uint64_t since = now_ns();

	sleep_ms(PENDING_MS);
	join(spawn(nothing, NULL));
	unblock_signal(SIGUSR1);
	WAIT_FOR(counted >= (long)((now_ns() - since) / PERIOD_NS) - LOST);	/* it goes on: what is lost stays lost */
	_exit(0);
}

int main(void)
{
	for (int i = 0; i < CHILDREN; i++)
		CHECK_EQ(in_child(child), 0);
}
