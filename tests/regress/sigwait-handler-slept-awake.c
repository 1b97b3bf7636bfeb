// SPDX-License-Identifier: BSD-2-Clause
// A handler amid a wait for signals that slept was woken again and again by what that wait was for, and on one
// processor for ever.
#include "../posix/harness.h"

enum { SLEEP_MS = 400 };

static atomic_bool sleeps, slept;
static uint64_t computed_ns;
static int pipe_fd[2];

static void sleep_amid(int sig UNUSED)
{
	uint64_t before = now_on(CLOCK_THREAD_CPUTIME_ID);

	sleeps = true;
	sleep_ms(SLEEP_MS);
	computed_ns = now_on(CLOCK_THREAD_CPUTIME_ID) - before;
	slept = true;
}

static void *waits(void *arg)
{
	sigset_t set = set_of(SIGUSR1);
	int sig;

	unblock_signal(SIGUSR2);
	CHECK_OK(sigwait(&set, &sig));
	CHECK_EQ(sig, SIGUSR1);
	CHECK(slept);
	return arg;
}

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(read(pipe_fd[0], &c, 1), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR2, sleep_amid, 0);
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	CHECK_OK(pipe(pipe_fd));
	/* With one that waits for a descriptor, others that wait do so in user space. */
	pthread_t reader = spawn(reads, NULL), waiter = spawn(waits, NULL);

	settle();
	CHECK_OK(pthread_kill(waiter, SIGUSR2));
	WAIT_FOR(sleeps);
	CHECK_OK(pthread_kill(waiter, SIGUSR1));
	join(waiter);
	CHECK_OK(close(pipe_fd[1]));
	join(reader);
	CHECK(computed_ns < SLEEP_MS * 1000000ull / 4);
}
