// SPDX-License-Identifier: BSD-2-Clause
// recvmsg, recvfrom and recvmmsg on an empty socket are cancellation points.
#include "../cancel.h"

#include <sys/uio.h>

static int sock[2];

static void by_recvfrom(void *arg UNUSED)
{
	char c;

	recvfrom(sock[0], &c, 1, 0, NULL, NULL);
}

static void by_recvmsg(void *arg UNUSED)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	recvmsg(sock[0], &m, 0);
}

static void by_recvmmsg(void *arg UNUSED)
{
	char c;
	struct iovec v = { &c, 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };

	recvmmsg(sock[0], &m, 1, 0, NULL);
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, sock));
	check_cancels(by_recvfrom, NULL);
	check_cancels(by_recvmsg, NULL);
	check_cancels(by_recvmmsg, NULL);
}
