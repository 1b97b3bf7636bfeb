// SPDX-License-Identifier: BSD-2-Clause
// A descriptor sent with SCM_RIGHTS arrives at a thread that waits in recvmsg and works there.
#include "../harness.h"

static int s[2];

union control {
	struct cmsghdr head;
	char space[CMSG_SPACE(sizeof(int))];
};

static void *body(void *arg UNUSED)
{
	union control c = { 0 };
	char byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &c,
			    .msg_controllen = sizeof c };
	int fd;

	CHECK_EQ(recvmsg(s[0], &m, MSG_CMSG_CLOEXEC), 1);
	CHECK_EQ(c.head.cmsg_type, SCM_RIGHTS);
	memcpy(&fd, CMSG_DATA(&c.head), sizeof fd);
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	CHECK_EQ(read(fd, &byte, 1), 1);
	CHECK_EQ(byte, 'q');
	return NULL;
}

int main(void)
{
	union control c = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	char byte = 'd';
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &c,
			    .msg_controllen = sizeof c };
	pthread_t t;
	int p[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	settle();
	memcpy(CMSG_DATA(&c.head), &p[0], sizeof(int));
	CHECK_EQ(sendmsg(s[1], &m, 0), 1);
	CHECK_OK(close(p[0]));
	CHECK_EQ(write(p[1], "q", 1), 1);
	join(t);
}
