// SPDX-License-Identifier: BSD-2-Clause
// SIGPIPE, which a thread blocked, came by its own write, and ended the process once another thread that does not block
// it ran on that kernel thread.
#include "../posix/harness.h"

enum { WRITERS = 4, ROUNDS = 50 };

static int p[2];

static bool pends(int sig)
{
	sigset_t set;

	CHECK_OK(sigpending(&set));
	return sigismember(&set, sig);
}

static void *stays_open(void *arg)
{
	atomic_int *is_over = arg;

	while (!*is_over) {
		sched_yield();
		CHECK(!pends(SIGPIPE));
	}
	return arg;
}

/* As clients of databases do where they cannot say MSG_NOSIGNAL. */
static void *writes(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		sigset_t set = set_of(SIGPIPE);
		int sig = 0;

		block_signal(SIGPIPE);
		CHECK_ERRNO(write(p[1], "x", 1), EPIPE);
		if (i % 2)
			sched_yield();
		else
			sleep_ms(1);
		CHECK(pends(SIGPIPE));
		CHECK_OK(sigwait(&set, &sig));
		CHECK_EQ(sig, SIGPIPE);
		CHECK(!pends(SIGPIPE));
		unblock_signal(SIGPIPE);
	}
	return arg;
}

/* It is gone with the thread. */
static void *ends(void *arg)
{
	block_signal(SIGPIPE);
	CHECK_ERRNO(write(p[1], "x", 1), EPIPE);
	return arg;
}

int main(void)
{
	atomic_int is_over = 0;
	pthread_t other = spawn(stays_open, &is_over), writers[WRITERS];

	CHECK_OK(pipe(p));
	CHECK_OK(close(p[0]));
	for (int i = 0; i < WRITERS; i++)
		writers[i] = spawn(writes, NULL);
	for (int i = 0; i < WRITERS; i++)
		join(writers[i]);
	for (int i = 0; i < ROUNDS; i++)
		join(spawn(ends, NULL));
	is_over = 1;
	join(other);
}
