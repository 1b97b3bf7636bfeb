// SPDX-License-Identifier: BSD-2-Clause
// SIG_BLOCK, SIG_UNBLOCK and SIG_SETMASK do what they say and give the old mask; another `how` is
// EINVAL; SIGKILL stays.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	sigset_t one = set_of(SIGUSR1), two = set_of(SIGUSR2), old, full;

	sigfillset(&full);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &one, &old));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &two, &old));
	CHECK(sigismember(&old, SIGUSR1) && !sigismember(&old, SIGUSR2));
	CHECK_OK(sigprocmask(SIG_UNBLOCK, &one, &old));
	CHECK(sigismember(&old, SIGUSR1) && sigismember(&old, SIGUSR2));
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &full, &old));
	CHECK(!sigismember(&old, SIGUSR1) && sigismember(&old, SIGUSR2));
	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &old));
	CHECK(!sigismember(&old, SIGKILL) && !sigismember(&old, SIGSTOP));
	CHECK(sigismember(&old, SIGTERM));
	CHECK_EQ(pthread_sigmask(77, &one, NULL), EINVAL);
	return NULL;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}
