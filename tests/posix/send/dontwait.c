// SPDX-License-Identifier: BSD-2-Clause
// MSG_DONTWAIT never waits, in either direction.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	static char data[65536];
	int s[2];
	char c;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK_ERRNO(recv(s[0], &c, 1, MSG_DONTWAIT), EAGAIN);
	while (send(s[0], data, sizeof data, MSG_DONTWAIT) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(recv(s[1], &c, 1, MSG_DONTWAIT), 1);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
