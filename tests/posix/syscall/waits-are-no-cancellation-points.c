// SPDX-License-Identifier: BSD-2-Clause
// A wait by number is no cancellation point, with a mask or without.
#include "../harness.h"
#include <sys/epoll.h>

static const uint64_t mask = UINT64_C(1) << (SIGUSR2 - 1);
static atomic_bool has_begun;
static int ep;

static void *waits(void *arg)
{
	struct { const void *mask; size_t bytes; } sixth = { &mask, sizeof(mask) };
	struct timespec limit = ms_span(100);
	struct epoll_event event;
	long r = 1;

	has_begun = true;
	switch ((intptr_t)arg) {
	case 0:
		r = syscall(SYS_ppoll, NULL, 0, &limit, &mask, sizeof(mask));
		break;
	case 1:
		r = syscall(SYS_pselect6, 0, NULL, NULL, NULL, &limit, &sixth);
		break;
	case 2:
		r = syscall(SYS_epoll_pwait, ep, &event, 1, 100, &mask, sizeof(mask));
		break;
	case 3:
		r = syscall(SYS_rt_sigtimedwait, &mask, NULL, &limit, sizeof(mask)) == -1 && errno == EAGAIN ? 0 : 1;
		break;
	case 4:
		r = syscall(SYS_ppoll, NULL, 0, &limit, NULL, sizeof(mask));
		break;
	}
	CHECK_EQ(r, 0);
	return arg;
}

int main(void)
{
	ep = epoll_create1(0);
	block_signal(SIGUSR2);
	for (intptr_t i = 0; i < 5; i++) {
		has_begun = false;
		pthread_t t = spawn(waits, (void *)i);

		WAIT_FOR(has_begun);
		CHECK_OK(pthread_cancel(t));
		CHECK_EQ((intptr_t)join(t), i);
	}
}
