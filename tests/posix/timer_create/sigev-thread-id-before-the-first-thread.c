// SPDX-License-Identifier: BSD-2-Clause
// A timer that names the main thread, made before there is any other, signals that one when there are more.
#include "../beside.h"

enum { TICKS = 30 };

static pthread_t main_thread;
static atomic_int ticks, elsewhere;

static void tick(int signo UNUSED)
{
	if (!pthread_equal(pthread_self(), main_thread))
		elsewhere++;
	ticks++;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };
	struct itimerspec v = { ms_span(5), ms_span(5) };
	timer_t timer;

	main_thread = pthread_self();
	on_signal(SIGRTMIN + 3, tick, SA_RESTART);
	e._sigev_un._tid = gettid();
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	beside_begin();
	WAIT_FOR(ticks >= TICKS);
	beside_end();
	CHECK_EQ(elsewhere, 0);
}
