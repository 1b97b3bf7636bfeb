// SPDX-License-Identifier: BSD-2-Clause
// While a handler runs, its signal and those of sa_mask are blocked in that thread; afterwards the
// mask is as before.
#include "../harness.h"

static atomic_int bad, calls;

static void handler(int sig, siginfo_t *info UNUSED, void *ctx UNUSED)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	if (!sigismember(&now, sig) || !sigismember(&now, SIGUSR2))
		bad++;
	calls++;
}

static void *body(void *arg UNUSED)
{
	sigset_t now;

	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK(!sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2));
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaddset(&sa.sa_mask, SIGUSR2);
	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	join(spawn(body, NULL));
	CHECK_EQ(calls, 1);
	CHECK_EQ(bad, 0);
}
