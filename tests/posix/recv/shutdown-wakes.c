// SPDX-License-Identifier: BSD-2-Clause
// shutdown of a socket by another thread ends a waiting recv with zero.
#include "../harness.h"

static int s[2];

static void *body(void *arg UNUSED)
{
	char c;

	CHECK_EQ(recv(s[0], &c, 1, 0), 0);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	spawn_many(t, 3, body);
	settle();
	CHECK_OK(shutdown(s[0], SHUT_RDWR));
	join_many(t, 3);
}
