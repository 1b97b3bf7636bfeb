// SPDX-License-Identifier: BSD-2-Clause
// A blocking send of more than the socket takes returns only when all was taken.
#include "../harness.h"

#define SIZE (3 << 20)

static int s[2];
static char data[SIZE];

static void *body(void *arg UNUSED)
{
	CHECK_EQ(send(s[0], data, SIZE, 0), SIZE);
	CHECK_OK(close(s[0]));
	return NULL;
}

int main(void)
{
	static char buf[8192];
	size_t total = 0;
	pthread_t t;
	ssize_t n;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	t = spawn(body, NULL);
	while ((n = recv(s[1], buf, sizeof buf, 0)) > 0)
		total += (size_t)n;
	CHECK_EQ(total, SIZE);
	join(t);
}
