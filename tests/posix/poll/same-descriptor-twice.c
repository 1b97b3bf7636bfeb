// SPDX-License-Identifier: BSD-2-Clause
// One descriptor may be in the list several times, each with its own events.
#include "../harness.h"

static int s[2];

static void *body(void *arg)
{
	struct pollfd p[3] = { { .fd = s[0], .events = POLLIN }, { .fd = s[0], .events = POLLPRI },
			       { .fd = s[0], .events = POLLIN } };

	CHECK_EQ(poll(p, 3, 20000), 2);
	CHECK(p[0].revents == POLLIN && p[1].revents == 0 && p[2].revents == POLLIN);
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	settle();
	CHECK_EQ(write(s[1], "x", 1), 1);
	join(t);
}
