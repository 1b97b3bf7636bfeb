// SPDX-License-Identifier: BSD-2-Clause
// recv, recvfrom and recvmsg on an empty socket are cancellation points.
#include "../cancel.h"

static void with_recv(void *arg)
{
	char c;

	CHECK(recv(*(int *)arg, &c, 1, 0) != -1);
}

static void with_recvfrom(void *arg)
{
	char c;

	CHECK(recvfrom(*(int *)arg, &c, 1, 0, NULL, NULL) != -1);
}

static void with_recvmsg(void *arg)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	CHECK(recvmsg(*(int *)arg, &m, 0) != -1);
}

int main(void)
{
	int s[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	check_cancels(with_recv, &s[0]);
	check_cancels(with_recvfrom, &s[0]);
	check_cancels(with_recvmsg, &s[0]);
}
