// SPDX-License-Identifier: BSD-2-Clause
// ppoll, pselect and epoll_pwait admit a blocked signal for the time of the call only.
#include "../harness.h"
#include <sys/epoll.h>
#include <sys/select.h>

static volatile sig_atomic_t handled;
static atomic_int step;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	int e = epoll_create1(0);
	struct epoll_event ev;
	sigset_t none, now;

	sigemptyset(&none);
	step = 1;
	CHECK_ERRNO(ppoll(NULL, 0, NULL, &none), EINTR);
	CHECK_EQ(handled, 1);
	step = 2;
	CHECK_ERRNO(pselect(0, NULL, NULL, NULL, NULL, &none), EINTR);
	CHECK_EQ(handled, 2);
	step = 3;
	CHECK_ERRNO(epoll_pwait(e, &ev, 1, -1, &none), EINTR);
	CHECK_EQ(handled, 3);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK(sigismember(&now, SIGUSR1));
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	t = spawn(body, NULL);
	for (int i = 1; i <= 3; i++) {
		WAIT_FOR(step == i);
		if (i == 2)
			settle();
		kill_if_there(t, SIGUSR1);
	}
	join(t);
}
