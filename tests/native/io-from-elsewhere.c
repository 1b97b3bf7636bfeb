// SPDX-License-Identifier: BSD-2-Clause
/* The first call of ours that a thread of pthread_create's makes is one that waits for a descriptor. */
#include <pthread.h>
#include <sys/socket.h>

#include "check.h"

static int pair[2], pipe_fds[2];

static void *receive(void *arg)
{
	char c;

	CHECK_IS(upcall_recv(pair[0], &c, 1, 0), 1);
	return arg;
}

static void *receive_in_vain(void *arg)
{
	char c;

	CHECK_IS(upcall_recv_until(pair[0], &c, 1, 0, upcall_after(5 * MS)), -ETIMEDOUT);
	return arg;
}

static void *read_pipe(void *arg)
{
	char c;

	CHECK_IS(upcall_read(pipe_fds[0], &c, 1), 1);
	return arg;
}

static void *poll_pipe(void *arg)
{
	struct pollfd p = { .fd = pipe_fds[0], .events = POLLIN };

	CHECK_IS(upcall_poll_until(&p, 1, upcall_after(5 * MS)), 0);
	return arg;
}

static void *rest(void *arg)
{
	CHECK_IS(upcall_sleep(2 * MS), 0);
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void run(void *(*body)(void *), int fd)
{
	pthread_t t;

	CHECK_IS(pthread_create(&t, NULL, body, NULL), 0);
	upcall_sleep(5 * MS);
	if (fd >= 0)
		CHECK_IS(upcall_write(fd, "x", 1), 1);
	CHECK_IS(pthread_join(t, NULL), 0);
}

static void test(void)
{
	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	CHECK_IS(pipe(pipe_fds), 0);
	join(spawn(nothing, NULL));
	run(receive_in_vain, -1);
	run(receive, pair[1]);
	run(read_pipe, pipe_fds[1]);
	run(poll_pipe, -1);
	run(rest, -1);
}
