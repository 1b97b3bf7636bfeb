// SPDX-License-Identifier: BSD-2-Clause
// Many threads wait in ppoll, pselect, epoll_pwait and sigsuspend with masks that admit a signal they
// block otherwise: each that is sent one runs the handler once, with that mask, and says EINTR; what
// the mask blocks comes after the call; and a descriptor that is ready ends the wait without.
#include <sys/epoll.h>
#include <sys/select.h>

#include "../harness.h"

enum { N = 200, KINDS = 4 };

static atomic_int arrived, wrong;
static __thread volatile int handled, late;
static int pipes[2], ep;

static void handler(int sig UNUSED)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	if (!sigismember(&now, SIGUSR2) || !sigismember(&now, SIGUSR1))
		atomic_fetch_add(&wrong, 1);
	handled++;
}

static void on_late(int sig UNUSED)
{
	late++;
}

static int wait_with(int kind, const sigset_t *mask)
{
	struct pollfd p[2] = { { .fd = pipes[0], .events = POLLIN }, { .fd = -1 } };
	struct epoll_event ev;
	fd_set r;

	switch (kind) {
	case 0:
		return ppoll(p, 2, NULL, mask);
	case 1:
		FD_ZERO(&r);
		FD_SET(pipes[0], &r);
		return pselect(pipes[0] + 1, &r, NULL, NULL, NULL, mask);
	case 2:
		return epoll_pwait(ep, &ev, 1, -1, mask);
	default:
		return sigsuspend(mask);
	}
}

/* SIGUSR1 is blocked but for the wait; SIGUSR2 the other way round. */
static void *body(void *arg)
{
	int kind = (int)(intptr_t)arg % KINDS;
	sigset_t mask = set_of(SIGUSR2), now;

	block_signal(SIGUSR1);
	atomic_fetch_add(&arrived, 1);
	CHECK_ERRNO(wait_with(kind, &mask), EINTR);
	CHECK_EQ(handled, 1);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &now));
	CHECK(sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2));
	CHECK_EQ(late, 1);
	if (kind < 3) {
		atomic_fetch_add(&arrived, 1);
		CHECK_EQ(wait_with(kind, &mask), 1);
		CHECK_EQ(handled, 1);
	}
	return NULL;
}

int main(void)
{
	static pthread_t t[N];
	struct epoll_event ev = { .events = EPOLLIN };

	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGUSR2, on_late, 0);
	CHECK_OK(pipe(pipes));
	ep = epoll_create1(0);
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, pipes[0], &ev));
	spawn_many(t, N, body);
	WAIT_FOR(atomic_load(&arrived) == N);
	sleep_ms(100);
	for (int i = 0; i < N; i++) {
		CHECK_OK(pthread_kill(t[i], SIGUSR2));
		CHECK_OK(pthread_kill(t[i], SIGUSR1));
	}
	WAIT_FOR(atomic_load(&arrived) == N + N / KINDS * (KINDS - 1));
	settle();
	CHECK_EQ(write(pipes[1], "x", 1), 1);
	join_many(t, N);
	CHECK_EQ(atomic_load(&wrong), 0);
}
