// SPDX-License-Identifier: BSD-2-Clause
// send and sendmsg on a full stream socket are cancellation points.
#include "../cancel.h"

static char data[65536];

static void with_send(void *arg)
{
	CHECK(send(*(int *)arg, data, sizeof data, 0) != -1);
}

static void with_sendmsg(void *arg)
{
	struct iovec v = { data, sizeof data };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	CHECK(sendmsg(*(int *)arg, &m, 0) != -1);
}

int main(void)
{
	int s[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	while (send(s[0], data, sizeof data, MSG_DONTWAIT) > 0)
		;
	while (send(s[0], data, 1, MSG_DONTWAIT) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	check_cancels(with_send, &s[0]);
	check_cancels(with_sendmsg, &s[0]);
}
