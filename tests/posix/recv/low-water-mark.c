// SPDX-License-Identifier: BSD-2-Clause
// With SO_RCVLOWAT recv and read wait until there is so much, also where there is less at first.
#include "../parked.h"

static int ends[2];

static void *sends(void *arg)
{
	CHECK_EQ(send(ends[1], "abc", 3, 0), 3);
	sleep_ms(100);
	CHECK_EQ(send(ends[1], "defghij", 7, 0), 7);
	return arg;
}

static void *body(void *arg)
{
	int least = 7;
	char all[32];

	tcp_pair(ends);
	CHECK_OK(setsockopt(ends[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least));
	for (int i = 0; i < 3; i++) {
		pthread_t sender = spawn(sends, NULL);
		struct msghdr msg = { .msg_iov = &(struct iovec){ all, sizeof all }, .msg_iovlen = 1 };

		settle();
		CHECK_EQ(i == 0 ? recv(ends[0], all, sizeof all, 0) : i == 1 ? read(ends[0], all, sizeof all) :
			 recvmsg(ends[0], &msg, 0), 10);
		join(sender);
	}
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
