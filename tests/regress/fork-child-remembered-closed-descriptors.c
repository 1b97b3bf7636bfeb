// SPDX-License-Identifier: BSD-2-Clause
// A child that closed its parent's sockets before it had threads, and got others of the same numbers, took these for
// those: a limit of time, or O_NONBLOCK, was the other's.
#include "../posix/parked.h"

#include <sys/time.h>

static int timed[2], plain[2];

static void *sends(void *arg)
{
	settle();
	CHECK_EQ(send(((int *)arg)[1], "x", 1, 0), 1);
	return arg;
}

/* So that all about it is known. */
static void use(int *ends)
{
	char c;

	for (int i = 0; i < 2; i++) {
		pthread_t sender = spawn(sends, ends);

		CHECK_EQ(recv(ends[0], &c, 1, 0), 1);
		join(sender);
	}
}

static void *in_child_thread(void *arg)
{
	char c;

	pthread_t sender = spawn(sends, timed);

	CHECK_EQ(recv(timed[0], &c, 1, 0), 1);
	join(sender);
	CHECK_ERRNO(read(plain[0], &c, 1), EAGAIN);
	return arg;
}

static void child(void)
{
	int was[2] = { timed[0], plain[0] };

	for (int i = 0; i < 2; i++) {
		CHECK_OK(close(timed[i]));
		CHECK_OK(close(plain[i]));
	}
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, timed));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, plain));
	CHECK_EQ(timed[0], was[0]);
	CHECK_EQ(plain[0], was[1]);
	park_some();
	join(spawn(in_child_thread, NULL));
	_exit(0);
}

static void *body(void *arg)
{
	struct timeval limit = { 0, 1000 };
	char c;

	use(timed);
	use(plain);
	CHECK_OK(setsockopt(timed[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
	CHECK_ERRNO(recv(timed[0], &c, 1, 0), EAGAIN);
	CHECK_EQ(in_child(child), 0);
	return arg;
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, timed));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, plain));
	run_beside_parked(body);
}
