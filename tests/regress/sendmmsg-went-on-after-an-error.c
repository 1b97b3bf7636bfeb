// SPDX-License-Identifier: BSD-2-Clause
// Of many datagrams for a port where nobody is the first is sent, and the error that comes back ends the call.
#include "../posix/harness.h"
#include <netinet/in.h>
#include <sys/uio.h>

enum { MANY = 8 };

static int connect_to_nobody(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int peer = socket(AF_INET, SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0);

	CHECK(bind(peer, (struct sockaddr *)&address, size) == 0);
	CHECK(getsockname(peer, (struct sockaddr *)&address, &size) == 0);
	CHECK(connect(fd, (struct sockaddr *)&address, size) == 0);
	close(peer);
	return fd;
}

static void *sends(void *arg)
{
	struct iovec v = { "ab", 2 };
	struct mmsghdr messages[MANY] = { { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } } };

	(void)arg;
	for (int i = 1; i < MANY; i++)
		messages[i] = messages[0];
	for (int round = 0; round < 20; round++) {
		int fd = connect_to_nobody();

		CHECK(sendmmsg(fd, messages, MANY, 0) == 1);
		close(fd);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, sends, NULL));
	CHECK_OK(pthread_join(t, NULL));
	return 0;
}
