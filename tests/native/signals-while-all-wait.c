// SPDX-License-Identifier: BSD-2-Clause
/*
 * A signal of the process that comes while all threads wait is taken at once: its handler runs, or it ends the process.
 * Also in a child that was forked amid threads.  One that is blocked where the first thread is made stays blocked.
 */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <time.h>

enum { LONG_S = 20 };
static struct upcall_sem is_over;
static int ends[2];

static void handler(int sig)
{
	char c = (char)sig;

	CHECK_IS(write(ends[1], &c, 1), 1);
}

static void *waits(void *arg)
{
	upcall_sem_wait(&is_over);
	return arg;
}

/* From a process of its own, when all here wait. */
static void be_sent(int sig)
{
	pid_t me = getpid(), child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 100 * (long)MS }, NULL);
		kill(me, sig);
		_exit(0);
	}
}

static void wait_for_handler(int sig)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };
	char c = 0;

	be_sent(sig);
	CHECK_IS(upcall_poll_until(&fd, 1, upcall_now() + LONG_S * 1000 * MS), 1);
	CHECK_IS(read(ends[0], &c, 1), 1);
	CHECK_IS(c, sig);
}

static void end_by(int sig)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		spawn(waits, NULL);
		wait_for_handler(SIGUSR1);
		be_sent(sig);
		upcall_sleep(LONG_S * 1000 * MS);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(WIFSIGNALED(status) ? WTERMSIG(status) : -1, sig);
}

static void test(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
	sigset_t blocked, pending;

	CHECK_IS(pipe(ends), 0);
	CHECK_IS(sigaction(SIGUSR1, &act, NULL), 0);
	CHECK_IS(sigaction(SIGUSR2, &act, NULL), 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	CHECK_IS(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
	upcall_t t = spawn(waits, NULL);

	wait_for_handler(SIGUSR1);
	be_sent(SIGUSR2);
	upcall_sleep(300 * MS);
	CHECK_IS(sigpending(&pending), 0);
	CHECK(sigismember(&pending, SIGUSR2));
	end_by(SIGTERM);
	upcall_sem_post(&is_over);
	CHECK_IS(upcall_join(t, NULL), 0);
	wait_for_handler(SIGUSR1);
}
