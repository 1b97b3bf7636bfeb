// SPDX-License-Identifier: BSD-2-Clause
// accept on a pipe or on a socket that does not listen waited until it was readable, if there was another thread
// to run meanwhile.
#include "../posix/harness.h"

#include <netinet/in.h>

static atomic_bool is_over;

static void *yields(void *arg)
{
	while (!is_over)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t others[2] = { spawn(yields, NULL), spawn(yields, NULL) };
	int fds[2], udp = socket(AF_INET, SOCK_DGRAM, 0);

	CHECK_OK(pipe(fds));
	CHECK(udp >= 0);
	for (int i = 0; i < 20; i++) {
		CHECK_ERRNO(accept(fds[0], NULL, NULL), ENOTSOCK);
		CHECK_ERRNO(accept(udp, NULL, NULL), EOPNOTSUPP);
	}
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	for (int i = 0; i < 20; i++)
		CHECK_ERRNO(accept(fds[0], NULL, NULL), EINVAL);
	is_over = true;
	join_many(others, 2);
}
