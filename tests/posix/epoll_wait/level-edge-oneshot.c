// SPDX-License-Identifier: BSD-2-Clause
// Level-triggered events repeat, edge-triggered ones do not, one-shot ones need re-arming.
#include "../harness.h"
#include <sys/epoll.h>

static void one(uint32_t flags, int again)
{
	int e = epoll_create1(EPOLL_CLOEXEC), p[2];
	struct epoll_event ev = { .events = EPOLLIN | flags, .data.u64 = 0x123456789abcdef0 }, got;

	CHECK_OK(pipe(p));
	CHECK_OK(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev));
	CHECK_EQ(epoll_wait(e, &got, 1, 10), 0);
	CHECK_EQ(write(p[1], "x", 1), 1);
	CHECK_EQ(epoll_wait(e, &got, 1, -1), 1);
	CHECK_EQ(got.data.u64, ev.data.u64);
	CHECK_EQ(got.events, EPOLLIN);
	CHECK_EQ(epoll_wait(e, &got, 1, 10), again);
	CHECK_OK(epoll_ctl(e, EPOLL_CTL_MOD, p[0], &ev));
	CHECK_EQ(epoll_wait(e, &got, 1, -1), 1);
	CHECK_OK(close(p[0]));
	CHECK_EQ(epoll_wait(e, &got, 1, 5), 0);
	CHECK_OK(close(p[1]));
	CHECK_OK(close(e));
}

static void *body(void *arg UNUSED)
{
	one(0, 1);
	one(EPOLLET, 0);
	one(EPOLLONESHOT, 0);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
