// SPDX-License-Identifier: BSD-2-Clause
// A timer that names the main thread, made before there is any other, signals that one when there are more.
#include "../harness.h"

enum { OTHERS = 6, TICKS = 30 };

static pthread_t main_thread;
static atomic_int ticks, elsewhere;
static atomic_bool stop;

static void tick(int signo UNUSED)
{
	if (!pthread_equal(pthread_self(), main_thread))
		elsewhere++;
	ticks++;
}

static void *works(void *arg)
{
	for (int i = 0; !stop; i++)
		if (i % 1000 == 0)
			sched_yield();
	return arg;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };
	struct itimerspec v = { ms_span(5), ms_span(5) };
	pthread_t t[OTHERS];
	timer_t timer;

	main_thread = pthread_self();
	on_signal(SIGRTMIN + 3, tick, SA_RESTART);
	e._sigev_un._tid = gettid();
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	spawn_many(t, OTHERS, works);
	WAIT_FOR(ticks >= TICKS);
	stop = true;
	join_many(t, OTHERS);
	CHECK_EQ(elsewhere, 0);
}
