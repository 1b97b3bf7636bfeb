// SPDX-License-Identifier: BSD-2-Clause
// A call with MSG_WAITALL that has a part ends before urgent data, which stays there for who asks for it.
#include "../posix/harness.h"
#include <netinet/in.h>

static int ends[2], others[2];
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

static void *waits_for_another(void *arg)
{
	char byte;

	(void)arg;
	CHECK(read(others[0], &byte, 1) == 1);
	return NULL;
}

static void connect_ends(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(bind(listener, (struct sockaddr *)&address, size) == 0);
	CHECK(listen(listener, 1) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(ends[0], (struct sockaddr *)&address, size) == 0);
	ends[1] = accept(listener, NULL, NULL);
	CHECK(ends[1] >= 0);
	close(listener);
}

int main(void)
{
	pthread_t t, another;

	CHECK(pipe(others) == 0);
	CHECK_OK(pthread_create(&another, NULL, waits_for_another, NULL));
	for (int round = 0; round < 20; round++) {
		connect_ends();
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
	CHECK(write(others[1], "", 1) == 1);
	CHECK_OK(pthread_join(another, NULL));
	return 0;
}
