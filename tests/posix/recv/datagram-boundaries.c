// SPDX-License-Identifier: BSD-2-Clause
// Each recv of a datagram socket gives one datagram; what does not fit is lost; empty ones count.
#include "../harness.h"

static int s[2];

static void *body(void *arg)
{
	char text[8] = "";

	CHECK_EQ(recv(s[0], text, sizeof text, 0), 3);
	CHECK_EQ(recv(s[0], text, 2, 0), 2);
	CHECK_EQ(recv(s[0], text, sizeof text, 0), 0);
	CHECK_EQ(recv(s[0], text, sizeof text, 0), 1);
	CHECK_EQ(text[0], 'z');
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	t = spawn(body, NULL);
	settle();
	CHECK_EQ(send(s[1], "abc", 3, 0), 3);
	CHECK_EQ(send(s[1], "defgh", 5, 0), 5);
	CHECK_EQ(send(s[1], "", 0, 0), 0);
	CHECK_EQ(send(s[1], "z", 1, 0), 1);
	join(t);
}
