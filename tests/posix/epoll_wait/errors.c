// SPDX-License-Identifier: BSD-2-Clause
// epoll_wait: EINVAL for no room or a descriptor that is no epoll, EBADF for a closed one.
#include "../harness.h"

#include <sys/epoll.h>

static void *body(void *arg)
{
	struct epoll_event e;
	int ep = epoll_create1(0), fd[2];

	CHECK_OK(pipe(fd));
	CHECK_ERRNO(epoll_wait(ep, &e, 0, 10), EINVAL);
	CHECK_ERRNO(epoll_wait(fd[0], &e, 1, 10), EINVAL);
	CHECK_ERRNO(epoll_wait(900, &e, 1, 10), EBADF);
	CHECK_EQ(epoll_wait(ep, &e, 1, 10), 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
