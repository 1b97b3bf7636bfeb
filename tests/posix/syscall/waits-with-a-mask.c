// SPDX-License-Identifier: BSD-2-Clause
// The waits that change the mask, made by number: a signal to the thread, which blocks it otherwise, ends them.
#include <sys/epoll.h>
#include <sys/select.h>

#include "../harness.h"

enum { WAYS = 4, ROUNDS = 5 };

static atomic_int handled, begun;
static const uint64_t no_signals;

static void handles(int sig UNUSED)
{
	handled++;
}

static long wait_by_number(int way, int ep)
{
	const struct { const uint64_t *mask; size_t bytes; } sixth = { &no_signals, sizeof no_signals };
	struct timespec limit = { .tv_sec = 1000 };
	struct epoll_event event;
	long r;

	switch (way) {
	case 0:
		return syscall(SYS_rt_sigsuspend, &no_signals, sizeof no_signals);
	case 1:
		r = syscall(SYS_ppoll, NULL, 0, &limit, &no_signals, sizeof no_signals);
		break;
	case 2:
		r = syscall(SYS_pselect6, 0, NULL, NULL, NULL, &limit, &sixth);
		break;
	default:
		return syscall(SYS_epoll_pwait, ep, &event, 1, -1, &no_signals, sizeof no_signals);
	}
	CHECK(limit.tv_sec < 1000);	/* what is left */
	return r;
}

/* What is left of the time is not told where that cannot be written. */
static void with_constants(void)
{
	static const struct timespec limit = { 0, 1000000 };
	static const uint64_t mask = 0;

	CHECK_EQ(syscall(SYS_ppoll, NULL, 0, &limit, &mask, 8), 0);
	CHECK_ERRNO(syscall(SYS_rt_sigsuspend, (void *)8, 8), EFAULT);
}

static void *waits(void *arg)
{
	with_constants();
	int ep = epoll_create1(0);

	for (int i = 0; i < WAYS * ROUNDS; i++) {
		begun++;
		CHECK_ERRNO(wait_by_number(i % WAYS, ep), EINTR);
		CHECK_EQ(handled, i + 1);
	}
	close(ep);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handles, 0);
	block_signal(SIGUSR1);
	pthread_t t = spawn(waits, NULL);

	for (int i = 0; i < WAYS * ROUNDS; i++) {
		WAIT_FOR(begun > i);
		settle();
		CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
	return 0;
}
