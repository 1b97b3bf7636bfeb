// SPDX-License-Identifier: BSD-2-Clause
// sigsuspend gives EINTR after the handler has run, and the mask is what it was.
#include "../posix/harness.h"

static atomic_int calls;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
	sigset_t s;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &s));
	CHECK_EQ(sigismember(&s, SIGUSR2), 1);
	calls++;
}

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR2), now;

	waits = true;
	CHECK_ERRNO(sigsuspend(&s), EINTR);
	CHECK_EQ(calls, 1);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK_EQ(sigismember(&now, SIGUSR1), 1);
	CHECK_EQ(sigismember(&now, SIGUSR2), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	join(t);
}
