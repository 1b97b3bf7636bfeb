// SPDX-License-Identifier: BSD-2-Clause
// sendmsg, sendto and sendmmsg into a full socket are cancellation points.
#include "../cancel.h"

#include <sys/uio.h>

static int sock[2];

static void by_sendto(void *arg UNUSED)
{
	char c[4096] = "";

	for (;;)
		sendto(sock[0], c, sizeof c, 0, NULL, 0);
}

static void by_sendmsg(void *arg UNUSED)
{
	char c[4096] = "";
	struct iovec v = { c, sizeof c };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	for (;;)
		sendmsg(sock[0], &m, 0);
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	check_cancels(by_sendto, NULL);
	check_cancels(by_sendmsg, NULL);
}
