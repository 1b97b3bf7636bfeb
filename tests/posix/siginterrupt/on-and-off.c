// SPDX-License-Identifier: BSD-2-Clause
// siginterrupt decides whether a handler set by signal() ends a read.
#include "../harness.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int fd[2];
static atomic_int calls;
static atomic_bool reads, ended;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *interrupted(void *arg)
{
	char c;

	reads = true;
	CHECK_ERRNO(read(fd[0], &c, 1), EINTR);
	ended = true;
	return arg;
}

static void *restarted(void *arg)
{
	char c;

	reads = true;
	CHECK_EQ(read(fd[0], &c, 1), 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(fd));
	signal(SIGUSR1, handler);
	CHECK_OK(siginterrupt(SIGUSR1, 1));
	t = spawn(interrupted, NULL);
	WAIT_FOR(reads);
	while (!ended) {		/* the signal may come before it reads */
		settle();
		if (!ended)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
	CHECK_OK(siginterrupt(SIGUSR1, 0));
	reads = false;
	calls = 0;
	t = spawn(restarted, NULL);
	WAIT_FOR(reads);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	WAIT_FOR(calls == 1);
	CHECK_EQ(write(fd[1], "x", 1), 1);
	join(t);
}
