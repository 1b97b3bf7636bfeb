// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that do all sorts of things while queued signals come (SIGRTMIN): they compute, yield, wait for a mutex, a
 * condition, a pipe, time or a signal, block signals for a while, and one sets its processors; until each has got
 * SIGNALS of them.  Their values are to be 0, 1, ... in this order.
 */
#ifndef IN_ORDER_H
#define IN_ORDER_H

#include "harness.h"

enum { MOST = 3, SIGNALS = 300, AHEAD = 20 };

static __thread int me;
static atomic_int got[MOST], out_of_order, ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int p[2];

static void count(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (info->si_value.sival_int != got[me])
		out_of_order++;
	got[me]++;
}

static void compute(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}

static void wait_for_a_condition(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 1);

	CHECK_OK(pthread_mutex_lock(&lock));
	compute();
	pthread_cond_timedwait(&cond, &lock, &until);
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void wait_for_a_pipe(void)
{
	struct pollfd fd = { p[0], POLLIN, 0 };
	struct timespec ms = { 0, 1000000 };

	ppoll(&fd, 1, &ms, NULL);
}

static void block_for_a_while(void)
{
	sigset_t set, old;

	sigfillset(&set);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, &old));
	sched_yield();
	compute();
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &old, NULL));
}

static void wait_for_a_signal(void)
{
	siginfo_t info;
	struct timespec ms = { 0, 1000000 };
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, &old));
	if (sigtimedwait(&set, &info, &ms) == SIGRTMIN)
		count(SIGRTMIN, &info, NULL);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &old, NULL));
}

static void set_processors(void)
{
	cpu_set_t all, one;

	CHECK_OK(sched_getaffinity(0, sizeof(all), &all));
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (me == 0 && got[me] > SIGNALS / 3)
		CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(one), &one));
}

static void *does(void *arg)
{
	void (*const what[])(void) = { compute, wait_for_a_condition, wait_for_a_pipe, block_for_a_while,
				       wait_for_a_signal, set_processors };

	me = (int)(intptr_t)arg;
	ready++;
	for (unsigned n = 0; got[me] < SIGNALS; n++)
		what[n * 7 % 13 % 6]();
	return arg;
}

static void begin(pthread_t *t, int n)
{
	struct sigaction act = { .sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(pipe(p));
	CHECK_OK(sigaction(SIGRTMIN, &act, NULL));
	spawn_many(t, n, does);
	WAIT_FOR(ready == n);
}

static void end(pthread_t *t, int n)
{
	join_many(t, n);
	CHECK_EQ(out_of_order, 0);
	for (int i = 0; i < n; i++)
		CHECK_EQ(got[i], SIGNALS);
}

#endif
