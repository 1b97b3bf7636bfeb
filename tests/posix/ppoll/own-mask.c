// SPDX-License-Identifier: BSD-2-Clause
// A mask that equals the thread's own changes nothing: ppoll, pselect and epoll_pwait wait and wake.
#include "../harness.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static atomic_int in;

static void *body(void *arg)
{
	int which = (int)(intptr_t)arg & 3, fd = (int)((intptr_t)arg >> 2), ep = epoll_create1(0);
	struct epoll_event e = { .events = EPOLLIN }, got;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t own;
	fd_set r;

	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &own));
	FD_ZERO(&r);
	FD_SET(fd, &r);
	in++;
	if (which == 0)
		CHECK_EQ(ppoll(&p, 1, NULL, &own), 1);
	else if (which == 1)
		CHECK_EQ(pselect(fd + 1, &r, NULL, NULL, NULL, &own), 1);
	else
		CHECK_EQ(epoll_pwait(ep, &got, 1, -1, &own), 1);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int fd[3];

	block_signal(SIGUSR2);
	for (int i = 0; i < 3; i++) {
		CHECK((fd[i] = eventfd(0, 0)) >= 0);
		t[i] = spawn(body, (void *)(intptr_t)(i | fd[i] << 2));
	}
	WAIT_FOR(in == 3);
	settle();
	for (int i = 0; i < 3; i++)
		CHECK_OK(eventfd_write(fd[i], 1));
	join_many(t, 3);
}
