// SPDX-License-Identifier: BSD-2-Clause
// A signal that comes after all waiters have given up is pending, also for signalfd, and the next one gets it.
#include "../harness.h"
#include <sys/signalfd.h>

#define N 10

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	struct timespec limit = ms_span(5);

	CHECK_ERRNO(sigtimedwait(&s, NULL, &limit), EAGAIN);
	return NULL;
}

int main(void)
{
	sigset_t s = set_of(SIGUSR1), pending;
	struct timespec none = { 0 };
	struct pollfd p = { .events = POLLIN };
	siginfo_t info;
	pthread_t t[N];

	block_signal(SIGUSR1);
	p.fd = signalfd(-1, &s, SFD_CLOEXEC);
	CHECK(p.fd >= 0);
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_OK(sigpending(&pending));
	CHECK(sigismember(&pending, SIGUSR1));
	CHECK_EQ(poll(&p, 1, 0), 1);
	CHECK_EQ(sigtimedwait(&s, &info, &none), SIGUSR1);
	CHECK_EQ(info.si_code, SI_USER);
	CHECK_ERRNO(sigtimedwait(&s, &info, &none), EAGAIN);
	CHECK_EQ(poll(&p, 1, 0), 0);
}
