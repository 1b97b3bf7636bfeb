// SPDX-License-Identifier: BSD-2-Clause
/* For tests of signals that stay pending: one of each kind for the thread and for the process, and then each is taken. */
#ifndef PENDING_H
#define PENDING_H

#include "harness.h"

enum { QUEUED = 5 };

static void handler(int sig UNUSED)
{
}

static inline void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &all, NULL));
}

static inline void send_to_self(void)
{
	signal(SIGUSR1, handler);
	signal(SIGUSR2, handler);
	signal(SIGRTMIN, handler);
	signal(SIGRTMIN + 1, handler);
	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(kill(getpid(), SIGUSR2));
	for (int i = 0; i < QUEUED; i++) {
		CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){ .sival_int = i }));
		CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = i }));
	}
}

/* The value of the next one of this number, which is there. */
static inline int take(int sig)
{
	const struct timespec now = { 0 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	CHECK_EQ(sigtimedwait(&set, &info, &now), sig);
	CHECK(sig < SIGRTMIN || info.si_code == SI_QUEUE);
	return info.si_value.sival_int;
}

/* All of them, in order, and no more. */
static inline void take_all(void)
{
	const struct timespec now = { 0 };
	sigset_t all, set;

	CHECK_OK(sigpending(&set));
	CHECK(sigismember(&set, SIGUSR1));
	CHECK(sigismember(&set, SIGUSR2));
	take(SIGUSR1);
	take(SIGUSR2);
	for (int i = 0; i < QUEUED; i++) {
		CHECK_EQ(take(SIGRTMIN), i);
		CHECK_EQ(take(SIGRTMIN + 1), i);
	}
	sigfillset(&all);
	CHECK_ERRNO(sigtimedwait(&all, NULL, &now), EAGAIN);
}

#endif
