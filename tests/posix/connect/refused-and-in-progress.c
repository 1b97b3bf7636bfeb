// SPDX-License-Identifier: BSD-2-Clause
// connect to a closed port fails with ECONNREFUSED, and a non-blocking one says EINPROGRESS or
// connects, then polls writable.
#include "../harness.h"
#include <arpa/inet.h>
#include <netinet/in.h>

static struct sockaddr_in addr;

static void *body(void *arg)
{
	int listener = (int)(intptr_t)arg;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), err = -1;
	socklen_t len = sizeof err;
	struct pollfd p = { .fd = s, .events = POLLOUT };

	if (connect(s, (struct sockaddr *)&addr, sizeof addr) == -1)
		CHECK_EQ(errno, EINPROGRESS);
	CHECK_EQ(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_OK(getsockopt(s, SOL_SOCKET, SO_ERROR, &err, &len));
	CHECK_EQ(err, 0);
	CHECK_OK(close(s));
	CHECK_OK(close(listener));
	s = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_ERRNO(connect(s, (struct sockaddr *)&addr, sizeof addr), ECONNREFUSED);
	return NULL;
}

int main(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof addr;

	addr = (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK_OK(bind(s, (struct sockaddr *)&addr, sizeof addr));
	CHECK_OK(listen(s, 4));
	CHECK_OK(getsockname(s, (struct sockaddr *)&addr, &len));
	join(spawn(body, (void *)(intptr_t)s));
}
