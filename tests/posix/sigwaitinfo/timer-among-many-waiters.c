// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for a timer's signal: its value and the overruns account for every expiration.
#include "../harness.h"

#define N 10
#define ENOUGH 60

static timer_t timer;
static atomic_int expirations;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGRTMIN);
	struct timespec limit = ms_span(100);
	siginfo_t info;

	while (expirations < ENOUGH) {
		int sig = sigtimedwait(&s, &info, &limit);

		if (sig == -1)
			continue;
		CHECK_EQ(sig, SIGRTMIN);
		CHECK_EQ(info.si_code, SI_TIMER);
		CHECK_EQ(info.si_value.sival_int, 77);
		CHECK(info.si_overrun >= 0);
		expirations += 1 + info.si_overrun;
	}
	return NULL;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 77 };
	struct itimerspec v = { .it_value = ms_span(1), .it_interval = ms_span(1) };
	pthread_t t[N];
	uint64_t start;

	block_signal(SIGRTMIN);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	spawn_many(t, N, body);
	settle();
	start = now_ns();
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	join_many(t, N);
	CHECK((now_ns() - start) / 1000000 + 1 >= (uint64_t)ENOUGH);	/* none was counted twice */
	CHECK_OK(timer_delete(timer));
}
