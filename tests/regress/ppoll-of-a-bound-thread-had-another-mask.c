// SPDX-License-Identifier: BSD-2-Clause
// Threads with a kernel thread of their own, and forked children: a handler that ran in a wait with another mask had the
// thread's own mask, not that of the wait, and a child's end broke the wait off.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "../posix/harness.h"

enum { WAIT_MS = 300 };

static atomic_int calls;

static int pends(int sig)
{
	sigset_t set;

	CHECK_OK(sigpending(&set));
	return sigismember(&set, sig);
}

/* Its own mask blocks both signals, that of the wait none. */
static void note(int sig UNUSED)
{
	sigset_t set;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &set));
	CHECK_EQ(sigismember(&set, SIGUSR1), 1);
	CHECK_EQ(sigismember(&set, SIGUSR2), 0);
	calls++;
}

static int wait_ppoll(const sigset_t *mask)
{
	struct timespec limit = ms_span(WAIT_MS);

	return ppoll(NULL, 0, &limit, mask);
}

static int wait_pselect(const sigset_t *mask)
{
	struct timespec limit = ms_span(WAIT_MS);

	return pselect(0, NULL, NULL, NULL, &limit, mask);
}

static int wait_epoll(const sigset_t *mask)
{
	struct epoll_event event;
	int ep = epoll_create1(0), n = epoll_pwait(ep, &event, 1, WAIT_MS, mask), err = errno;

	CHECK_OK(close(ep));
	errno = err;
	return n;
}

static int (*const waits[])(const sigset_t *) = { wait_ppoll, wait_pselect, wait_epoll };

static void each_has_its_mask(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int i = 0; i < 3; i++) {
		calls = 0;
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		CHECK(pends(SIGUSR1));
		CHECK_ERRNO(waits[i](&none), EINTR);
		CHECK_EQ(calls, 1);
	}
}

static void each_outlives_a_child(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork_watched();

		if (child == 0) {
			sleep_ms(WAIT_MS / 4);
			_exit(0);
		}
		CHECK_OK(waits[i](&none));
		CHECK_EQ(waitpid(child, NULL, 0), child);
	}
}

static void *body(void *arg)
{
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	errno = 0;
	if (arg)
		CHECK(nice(1) != -1 || errno == 0);
	each_has_its_mask();
	each_outlives_a_child();
	return arg;
}

static void child(void)
{
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	each_has_its_mask();
}

static void *runs_a_command(void *arg)
{
	CHECK_EQ(system("true"), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, note, 0);
	join(spawn(runs_a_command, NULL));
	join(spawn(body, NULL));
	join(spawn(body, "bound"));
	CHECK_EQ(in_child(child), 0);
}
