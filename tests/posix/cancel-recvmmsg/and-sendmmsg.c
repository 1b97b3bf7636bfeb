// SPDX-License-Identifier: BSD-2-Clause
// recvmmsg that waits for a first message, and sendmmsg that waits for room, are cancellation points, as recvmsg and
// sendmsg are (POSIX, 2.9.5.2; glibc's recvmmsg and sendmmsg).
#include "../cancel.h"

#include <sys/uio.h>

static void prepare(struct mmsghdr *m, struct iovec *v, char *buf, int n)
{
	memset(m, 0, (size_t)n * sizeof *m);
	for (int i = 0; i < n; i++) {
		v[i] = (struct iovec){ &buf[i * 64], 64 };
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
}

static void receive(void *arg, int flags)
{
	struct mmsghdr m[3];
	struct iovec v[3];
	char buf[3 * 64];

	prepare(m, v, buf, 3);
	recvmmsg(*(int *)arg, m, 3, flags, NULL);
}

static void receives(void *arg)
{
	receive(arg, 0);
}

static void receives_one(void *arg)
{
	receive(arg, MSG_WAITFORONE);
}

static void sends(void *arg)
{
	struct mmsghdr m[3];
	struct iovec v[3];
	char buf[3 * 64] = { 0 };

	prepare(m, v, buf, 3);
	sendmmsg(*(int *)arg, m, 3, 0);
}

int main(void)
{
	char c[64] = { 0 };
	int s[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	check_cancels(receives, &s[0]);
	check_cancels(receives_one, &s[0]);
	while (send(s[1], c, sizeof c, MSG_DONTWAIT) == sizeof c)
		;
	CHECK_EQ(errno, EAGAIN);
	check_cancels(sends, &s[1]);
	check_cancels_pending(receives, &s[0]);		/* although there are some */
}
