// SPDX-License-Identifier: BSD-2-Clause
// A poll with a limit of 0, beside threads that compute, ended with EINTR where a signal of the runtime's came to it: no
// handler ran, and nobody had sent one.  Nor do others of its kind.
#include "../posix/harness.h"

#include <sys/epoll.h>
#include <sys/select.h>

enum { THREADS = 6, RUN_MS = 600 };

static atomic_bool stop;
static atomic_ulong polls;

static void *looks(void *arg)
{
	int ends[2], ep = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	const struct timespec none = { 0 };

	CHECK_OK(pipe(ends));
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &event));
	for (unsigned i = 0; !stop; i++) {
		struct pollfd p = { .fd = ends[0], .events = POLLIN };

		CHECK_EQ(poll(&p, 1, 0), 0);
		polls++;
		if (i % 8)
			continue;
		fd_set set;

		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		CHECK_EQ(select(ends[0] + 1, &set, NULL, NULL, &(struct timeval){ 0 }), 0);
		CHECK_EQ(ppoll(&p, 1, &none, NULL), 0);
		CHECK_EQ(epoll_wait(ep, &event, 1, 0), 0);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, looks);
	sleep_ms(RUN_MS);
	stop = true;
	join_many(t, THREADS);
	CHECK(polls > THREADS);
}
