// SPDX-License-Identifier: BSD-2-Clause
// Several threads wait on one epoll descriptor: each edge-triggered event is seen, by at least one
// of them.
#include "../harness.h"
#include <sys/epoll.h>

#define N 4
#define EVENTS 200

static int e, p[2];
static atomic_int bytes;

static void *body(void *arg UNUSED)
{
	while (bytes < EVENTS) {
		struct epoll_event ev;
		char c;

		if (epoll_wait(e, &ev, 1, 20) == 1)
			while (read(p[0], &c, 1) == 1)
				bytes++;
	}
	return NULL;
}

int main(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	pthread_t t[N];

	e = epoll_create1(0);
	CHECK_OK(pipe2(p, O_NONBLOCK));
	CHECK_OK(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev));
	spawn_many(t, N, body);
	for (int i = 1; i <= EVENTS; i++) {
		CHECK_EQ(write(p[1], "x", 1), 1);
		WAIT_FOR(bytes >= i);
	}
	join_many(t, N);
	CHECK_EQ(bytes, EVENTS);
}
