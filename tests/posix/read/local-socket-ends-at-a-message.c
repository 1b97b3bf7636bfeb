// SPDX-License-Identifier: BSD-2-Clause
// A read of a local stream socket ends behind bytes that a descriptor or credentials came with.  What lies behind
// them was there before, and is read without waiting for more; by read, readv, recv and recvfrom.
#include "../harness.h"
#include <sys/uio.h>

enum { KINDS = 4, ROUNDS = 100 };

static int s[2];
static atomic_int has_read;

static ssize_t read_so(int kind, char *buf, size_t n)
{
	struct iovec v[2] = { { buf, n / 2 }, { buf + n / 2, n - n / 2 } };

	return kind == 0 ? read(s[0], buf, n) : kind == 1 ? readv(s[0], v, 2) :
	       kind == 2 ? recv(s[0], buf, n, 0) : recvfrom(s[0], buf, n, 0, NULL, NULL);
}

static void *reader(void *arg UNUSED)
{
	char buf[64];

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t n = 0; n < 12;) {
			ssize_t r = read_so(round % KINDS, buf, sizeof buf);

			CHECK(r > 0);
			n += (size_t)r;
		}
		has_read++;
	}
	return NULL;
}

static void send_bytes(const char *bytes, size_t n, int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} c = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec v = { (void *)bytes, n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&c.head), &fd, sizeof fd);
		m.msg_control = &c;
		m.msg_controllen = sizeof c;
	}
	CHECK_EQ(sendmsg(s[1], &m, 0), (ssize_t)n);
}

/* Threads that yield keep the reader from seeing each message by itself. */
static void *turn(void *arg UNUSED)
{
	while (has_read < ROUNDS)
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t, other;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(reader, NULL);
	other = spawn(turn, NULL);
	settle();
	for (int round = 0; round < ROUNDS; round++) {
		bool with_credentials = round % 8 >= 4;
		int on = with_credentials;

		CHECK_OK(setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
		send_bytes("abcd", 4, with_credentials ? -1 : s[1]);
		send_bytes("efgh", 4, with_credentials ? s[1] : -1);
		send_bytes("ijkl", 4, s[1]);
		WAIT_FOR(has_read == round + 1);
	}
	join(t);
	join(other);
}
