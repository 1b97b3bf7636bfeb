// SPDX-License-Identifier: BSD-2-Clause
// MSG_PEEK with MSG_WAITALL waits until all can be seen.
#include "../parked.h"

static int ends[2];

static void *sends(void *arg)
{
	settle();
	CHECK_EQ(send(ends[1], "abc", 3, 0), 3);
	settle();
	CHECK_EQ(send(ends[1], "defg", 4, 0), 4);
	return arg;
}

static void *body(void *arg)
{
	char all[7];

	tcp_pair(ends);
	pthread_t sender = spawn(sends, NULL);

	CHECK_EQ(recv(ends[0], all, sizeof all, MSG_PEEK | MSG_WAITALL), 7);
	CHECK_EQ(recv(ends[0], all, sizeof all, 0), 7);
	CHECK_OK(memcmp(all, "abcdefg", 7));
	join(sender);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
