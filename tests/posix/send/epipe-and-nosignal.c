// SPDX-License-Identifier: BSD-2-Clause
// send on a broken connection is EPIPE; with MSG_NOSIGNAL no SIGPIPE comes, without it does.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	int s[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	close(s[1]);
	CHECK_ERRNO(send(s[0], "x", 1, MSG_NOSIGNAL), EPIPE);
	CHECK_EQ(calls, 0);
	CHECK_ERRNO(send(s[0], "x", 1, 0), EPIPE);
	CHECK_EQ(calls, 1);
	return arg;
}

int main(void)
{
	on_signal(SIGPIPE, handler, 0);
	join(spawn(body, NULL));
}
