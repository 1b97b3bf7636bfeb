// SPDX-License-Identifier: BSD-2-Clause
// A call with MSG_WAITALL that has a part ends before urgent data, which stays there for who asks for it.
#include "../posix/parked.h"

static int ends[2];
static atomic_bool is_there;

static void *receives(void *arg)
{
	char bytes[16] = { 0 };
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);

	(void)arg;
	is_there = true;
	CHECK(recvfrom(ends[1], bytes, 10, MSG_WAITALL, (struct sockaddr *)&from, &size) == 3);
	CHECK(size == 0);		/* as a connection has none to tell */
	CHECK(!memcmp(bytes, "abc", 3));
	CHECK(recv(ends[1], bytes, 1, MSG_OOB) == 1);
	CHECK(bytes[0] == 'X');
	CHECK(recv(ends[1], bytes, 5, MSG_WAITALL) == 5);
	CHECK(!memcmp(bytes, "defgh", 5));
	return NULL;
}

int main(void)
{
	pthread_t t;

	park_some();
	for (int round = 0; round < 20; round++) {
		tcp_pair(ends);
		is_there = false;
		CHECK_OK(pthread_create(&t, NULL, receives, NULL));
		while (!is_there)
			usleep(1000);
		usleep(2000);
		CHECK(send(ends[0], "abc", 3, 0) == 3);
		usleep(2000);
		CHECK(send(ends[0], "X", 1, MSG_OOB) == 1);
		usleep(2000);
		CHECK(send(ends[0], "defgh", 5, 0) == 5);
		CHECK_OK(pthread_join(t, NULL));
		close(ends[0]);
		close(ends[1]);
	}
	return 0;
}
