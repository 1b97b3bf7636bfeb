// SPDX-License-Identifier: BSD-2-Clause
// With a timeout of 0 it looks once: EAGAIN, or the signal; bad nanoseconds are EINVAL.
#include "../harness.h"

static void *body(void *arg)
{
	struct timespec zero = { 0 }, bad = { .tv_nsec = 1000000000 };
	sigset_t s = set_of(SIGUSR1);
	siginfo_t info;

	CHECK_ERRNO(sigtimedwait(&s, &info, &zero), EAGAIN);
	CHECK_ERRNO(sigtimedwait(&s, &info, &bad), EINVAL);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(sigtimedwait(&s, &info, &zero), SIGUSR1);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(sigtimedwait(&s, &info, &zero), SIGUSR1);
	CHECK_EQ(info.si_code, SI_USER);
	CHECK_ERRNO(sigtimedwait(&s, &info, &zero), EAGAIN);
	return arg;
}

int main(void)
{
	block_signal(SIGUSR1);
	join(spawn(body, NULL));
}
