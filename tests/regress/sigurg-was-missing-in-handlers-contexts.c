// SPDX-License-Identifier: BSD-2-Clause
// A handler's context tells that SIGURG was blocked, and what the handler makes of that is so after it.
#include "../posix/harness.h"
#include <ucontext.h>

static volatile int saw;
static volatile bool adds, removes;

static void looks(int sig, siginfo_t *info, void *ctx)
{
	ucontext_t *uc = ctx;

	(void)sig, (void)info;
	saw = sigismember(&uc->uc_sigmask, SIGURG);
	if (adds)
		sigaddset(&uc->uc_sigmask, SIGURG);
	if (removes)
		sigdelset(&uc->uc_sigmask, SIGURG);
}

static int is_blocked(void)
{
	sigset_t mask;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	return sigismember(&mask, SIGURG);
}

static void *run(void *arg)
{
	sigset_t urg;

	sigemptyset(&urg);
	sigaddset(&urg, SIGURG);
	CHECK_OK(raise(SIGUSR2));
	CHECK_EQ(saw, 0);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &urg, NULL));
	CHECK_OK(raise(SIGUSR2));
	CHECK_EQ(saw, 1);
	CHECK_EQ(is_blocked(), 1);
	removes = true;
	CHECK_OK(raise(SIGUSR2));
	CHECK_EQ(is_blocked(), 0);
	removes = false;
	adds = true;
	CHECK_OK(raise(SIGUSR2));
	CHECK_EQ(is_blocked(), 1);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = looks, .sa_flags = SA_SIGINFO };

	CHECK_OK(sigaction(SIGUSR2, &sa, NULL));
	join(spawn(run, NULL));
}
