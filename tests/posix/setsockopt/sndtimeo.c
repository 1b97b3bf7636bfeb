// SPDX-License-Identifier: BSD-2-Clause
// SO_SNDTIMEO makes send on a full socket fail with EAGAIN (or be short) after that time.
#include "../harness.h"
#include <sys/time.h>

static void *body(void *arg UNUSED)
{
	struct timeval v = { .tv_usec = 40000 };
	static char data[65536];
	uint64_t start;
	int s[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	while (send(s[0], data, sizeof data, MSG_DONTWAIT) > 0)
		;
	while (send(s[0], data, 1, MSG_DONTWAIT) > 0)
		;
	CHECK_OK(setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &v, sizeof v));
	start = now_ns();
	CHECK_ERRNO(send(s[0], data, sizeof data, 0), EAGAIN);
	CHECK(now_ns() - start >= 36000000);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
