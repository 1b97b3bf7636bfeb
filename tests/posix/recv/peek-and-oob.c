// SPDX-License-Identifier: BSD-2-Clause
// MSG_PEEK leaves the data; MSG_DONTWAIT never waits: EAGAIN.
#include "../harness.h"

static int s[2];

static void *body(void *arg)
{
	char c = 0;

	CHECK_EQ(recv(s[0], &c, 1, MSG_PEEK), 1);
	CHECK_EQ(c, 'x');
	CHECK_EQ(recv(s[0], &c, 1, 0), 1);
	CHECK_ERRNO(recv(s[0], &c, 1, MSG_DONTWAIT), EAGAIN);
	CHECK_ERRNO(recv(s[0], &c, 1, MSG_DONTWAIT | MSG_PEEK), EAGAIN);
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	settle();
	CHECK_EQ(send(s[1], "x", 1, 0), 1);
	join(t);
}
