// SPDX-License-Identifier: BSD-2-Clause
// Signals that are for faults, when they are sent, end a wait with another mask; so does what a timer sends to the very
// thread that waits.
#include "../posix/harness.h"
#include <poll.h>
#include <sys/select.h>
#include <time.h>

enum call { SUSPENDS, PAUSES, POLLS, SELECTS, CALLS };

static const int faults[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV };

static atomic_int runs, tid, ended;
static enum call call;

static void handles(int sig)
{
	(void)sig;
	runs++;
}

static void *waits(void *arg)
{
	int sig = (int)(intptr_t)arg;
	sigset_t all, but;

	sigfillset(&all);
	but = all;
	sigdelset(&but, sig);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, call == PAUSES ? &but : &all, NULL));
	errno = 0;
	tid = gettid();
	int r = call == SUSPENDS ? sigsuspend(&but)
	      : call == PAUSES ? pause()
	      : call == POLLS ? ppoll(NULL, 0, NULL, &but)
	      : pselect(0, NULL, NULL, NULL, NULL, &but);

	CHECK(r == -1 && errno == EINTR);
	CHECK(runs >= 1);
	ended = true;
	return NULL;
}

static void send_by_timer(int sig)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec soon = { { .tv_nsec = call == PAUSES ? 10000000 : 0 }, { .tv_nsec = 1000000 } };
	timer_t timer;

	event._sigev_un._tid = tid;
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
	CHECK_OK(timer_settime(timer, 0, &soon, NULL));
	while (!ended)
		usleep(1000);
	CHECK_OK(timer_delete(timer));
}

static void check(int sig, bool by_timer)
{
	pthread_t t;

	runs = tid = ended = 0;
	CHECK(signal(sig, handles) != SIG_ERR);
	CHECK_OK(pthread_create(&t, NULL, waits, (void *)(intptr_t)sig));
	while (!tid)
		usleep(1000);
	usleep(20000);
	if (by_timer)
		send_by_timer(sig);
	else
		CHECK_OK(pthread_kill(t, sig));
	for (; call == PAUSES && !ended; usleep(10000))		/* the first may have come before the call */
		pthread_kill(t, sig);
	CHECK_OK(pthread_join(t, NULL));
	CHECK(call == PAUSES || runs == 1);
}

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	for (call = 0; call < CALLS; call++) {
		for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
			check(faults[i], false);
		check(SIGUSR1, false);
		check(SIGUSR1, true);
	}
	return 0;
}
