// SPDX-License-Identifier: BSD-2-Clause
// A bad `how` is EINVAL, but does not matter when the set is NULL; SIGKILL cannot be blocked.
#include "../harness.h"

static void *body(void *arg)
{
	sigset_t s, old;

	sigfillset(&s);
	CHECK_EQ(pthread_sigmask(999, &s, NULL), EINVAL);
	CHECK_OK(pthread_sigmask(999, NULL, &old));
	CHECK_EQ(sigismember(&old, SIGUSR1), 0);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &s, NULL));
	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &old));
	CHECK_EQ(sigismember(&old, SIGUSR1), 1);
	CHECK_EQ(sigismember(&old, SIGKILL), 0);
	CHECK_EQ(sigismember(&old, SIGSTOP), 0);
	sigemptyset(&s);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &s, &old));
	CHECK_EQ(sigismember(&old, SIGUSR1), 1);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
