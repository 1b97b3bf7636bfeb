// SPDX-License-Identifier: BSD-2-Clause
// A send with MSG_ZEROCOPY was made in pieces, each of which the error queue tells of: a program counts its calls.
// One with MSG_FASTOPEN, which connects, said EINPROGRESS.  And sendmmsg went on after a message that went in part.
#include "../posix/parked.h"

#include <linux/errqueue.h>
#include <sys/time.h>

static int ends[2];
static char all[8 << 20];

static void *receives(void *arg)
{
	static char some[1 << 20];

	sleep_ms(100);
	while (recv(ends[1], some, sizeof some, 0) > 0)
		;
	return arg;
}

static unsigned notified(int fd)
{
	char control[128];
	unsigned n = 0;

	for (;;) {
		struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof control };
		struct pollfd p = { .fd = fd };

		if (poll(&p, 1, 300) <= 0 || recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
			return n;
		struct sock_extended_err *e = (void *)CMSG_DATA(CMSG_FIRSTHDR(&msg));

		n = e->ee_data + 1;
	}
}

static void zerocopy(void)
{
	int one = 1;

	tcp_pair(ends);
	if (setsockopt(ends[0], SOL_SOCKET, SO_ZEROCOPY, &one, sizeof one))
		return;
	pthread_t other = spawn(receives, NULL);

	size_t done = 0;
	unsigned calls = 0;

	for (; done < sizeof all; calls++) {
		ssize_t n = send(ends[0], all + done, sizeof all - done, MSG_ZEROCOPY);

		if (n < 0 && errno == ENOBUFS)
			skip("it may lock too little");
		CHECK(n > 0);
		done += (size_t)n;
	}
	CHECK_EQ(notified(ends[0]), calls);
	CHECK_OK(shutdown(ends[0], SHUT_WR));
	join(other);
}

static void fast_open(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof addr;

	CHECK_OK(bind(listener, (struct sockaddr *)&addr, size));
	CHECK_OK(listen(listener, 5));
	CHECK_OK(getsockname(listener, (struct sockaddr *)&addr, &size));
	ssize_t n = sendto(fd, "hello", 5, MSG_FASTOPEN, (struct sockaddr *)&addr, size);

	CHECK(n == 5 || (n == -1 && errno == EOPNOTSUPP));
}

/* It makes room after the first message's time is over, or before that: but not for all of it. */
static void *makes_room(void *arg)
{
	static char some[190000];

	sleep_ms(150);
	CHECK(recv(ends[1], some, sizeof some, MSG_WAITALL) > 0);
	return arg;
}

static void messages(void)
{
	struct iovec big = { all, sizeof all }, small = { all, 100 };
	struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &big, .msg_iovlen = 1 } },
				{ .msg_hdr = { .msg_iov = &small, .msg_iovlen = 1 } } };
	struct timeval limit = { 0, 100000 };

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	CHECK_OK(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
	pthread_t other = spawn(makes_room, NULL);

	CHECK_EQ(sendmmsg(ends[0], m, 2, 0), 1);
	join(other);
	CHECK(m[0].msg_len < sizeof all);
}

static void *body(void *arg)
{
	messages();
	fast_open();
	zerocopy();
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
