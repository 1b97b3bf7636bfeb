// SPDX-License-Identifier: BSD-2-Clause
// recv with MSG_WAITALL went on behind bytes that came with descriptors; writev of no bytes sent an empty message; and
// recvmmsg kept an error behind its first message to itself.
#include <netinet/in.h>
#include <sys/uio.h>

#include "../posix/harness.h"

static void send_with_descriptor(int fd, const char *bytes, size_t n)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec v = { (void *)bytes, n };
	struct msghdr msg = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	CHECK_EQ(sendmsg(fd, &msg, 0), n);
}

static void *wait_for_all(void *arg)
{
	int *fds = arg;
	char buf[8];

	CHECK_EQ(recv(fds[0], buf, 8, MSG_WAITALL), 6);
	CHECK_EQ(memcmp(buf, "abcdef", 6), 0);
	CHECK_EQ(recv(fds[0], buf, 4, MSG_WAITALL), 4);
	CHECK_EQ(memcmp(buf, "ghij", 4), 0);
	return NULL;
}

static void all_ends_behind_descriptors(void)
{
	int fds[2];
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	CHECK_EQ(write(fds[1], "abc", 3), 3);
	t = spawn(wait_for_all, fds);
	sleep_ms(20);
	send_with_descriptor(fds[1], "def", 3);
	CHECK_EQ(write(fds[1], "ghij", 4), 4);
	join(t);
}

static void *write_nothing(void *arg)
{
	int *fds = arg;
	struct iovec v[2] = { { "", 0 }, { "", 0 } };
	char c;

	CHECK_EQ(writev(fds[0], v, 2), 0);
	CHECK_ERRNO(recv(fds[1], &c, 1, MSG_DONTWAIT), EAGAIN);
	return NULL;
}

static struct sockaddr_in here(int fd)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(addr);

	CHECK_OK(bind(fd, (struct sockaddr *)&addr, size));
	CHECK_OK(getsockname(fd, (struct sockaddr *)&addr, &size));
	return addr;
}

static void *receive_two(void *arg)
{
	int fd = *(int *)arg;
	char bytes[2];
	struct iovec v[2] = { { &bytes[0], 1 }, { &bytes[1], 1 } };
	struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &v[0], .msg_iovlen = 1 } },
				{ .msg_hdr = { .msg_iov = &v[1], .msg_iovlen = 1 } } };

	CHECK_EQ(recvmmsg(fd, m, 2, 0, NULL), 1);
	CHECK_EQ(m[0].msg_len, 1);
	CHECK_ERRNO(recv(fd, bytes, 1, MSG_DONTWAIT), ECONNREFUSED);
	return NULL;
}

/* The other end is closed: what is sent there comes back as an error. */
static void an_error_is_kept(void)
{
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at_a = here(a), at_b = here(b);
	pthread_t t;

	CHECK_OK(connect(a, (struct sockaddr *)&at_b, sizeof(at_b)));
	CHECK_EQ(sendto(b, "x", 1, 0, (struct sockaddr *)&at_a, sizeof(at_a)), 1);
	t = spawn(receive_two, &a);
	sleep_ms(50);
	CHECK_OK(close(b));
	CHECK_EQ(send(a, "y", 1, 0), 1);
	join(t);
	CHECK_OK(close(a));
}

int main(void)
{
	int fds[2];

	all_ends_behind_descriptors();
	CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
	join(spawn(write_nothing, fds));
	an_error_is_kept();
}
