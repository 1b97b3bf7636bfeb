// SPDX-License-Identifier: BSD-2-Clause
// MSG_WAITALL with recvmsg waits until all buffers are full, whatever comes meanwhile, on TCP and local sockets; and
// recvmmsg until all messages are there.
#include "../parked.h"
#include <sys/socket.h>

enum { A = 5, B = 7, ROUNDS = 20, MESSAGES = 4 };

static int ends[2];

static void *sends(void *arg)
{
	for (int i = 0; i < A + B; i++) {
		sleep_ms(1);
		CHECK_EQ(send(ends[1], &"abcdefghijkl"[i], 1, 0), 1);
	}
	return arg;
}

static void receive_all(void)
{
	char a[A], b[B];
	struct iovec v[] = { { a, A }, { b, B } };
	struct msghdr msg = { .msg_iov = v, .msg_iovlen = 2 };
	pthread_t sender = spawn(sends, NULL);

	CHECK_EQ(recvmsg(ends[0], &msg, MSG_WAITALL), A + B);
	CHECK_OK(memcmp(a, "abcde", A));
	CHECK_OK(memcmp(b, "fghijkl", B));
	CHECK_EQ(v[0].iov_len, A);
	join(sender);
}

static void *sends_messages(void *arg)
{
	for (int i = 0; i < MESSAGES; i++) {
		sleep_ms(3);
		CHECK_EQ(send(ends[1], "abcd", (size_t)i + 1, 0), i + 1);
	}
	return arg;
}

static void receive_messages(void)
{
	char text[MESSAGES][8];
	struct iovec v[MESSAGES];
	struct mmsghdr msgs[MESSAGES] = { 0 };
	pthread_t sender = spawn(sends_messages, NULL);

	for (int i = 0; i < MESSAGES; i++) {
		v[i] = (struct iovec){ text[i], sizeof text[i] };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &v[i], .msg_iovlen = 1 };
	}
	CHECK_EQ(recvmmsg(ends[0], msgs, MESSAGES, 0, NULL), MESSAGES);
	for (unsigned i = 0; i < MESSAGES; i++)
		CHECK_EQ(msgs[i].msg_len, i + 1);
	join(sender);
}

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		tcp_pair(ends);
		receive_all();
		CHECK_OK(close(ends[0]) | close(ends[1]));
		CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
		receive_all();
		CHECK_OK(close(ends[0]) | close(ends[1]));
		CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
		receive_messages();
		CHECK_OK(close(ends[0]) | close(ends[1]));
	}
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
