// SPDX-License-Identifier: BSD-2-Clause
// accept: EAGAIN on a non-blocking socket without clients, EINVAL on one that does not listen, ENOTSOCK.
#include "../harness.h"

#include <netinet/in.h>

static void *body(void *arg)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), fd[2];

	CHECK(s >= 0);
	CHECK_ERRNO(accept(s, NULL, NULL), EINVAL);
	CHECK_OK(listen(s, 1));
	CHECK_ERRNO(accept(s, NULL, NULL), EAGAIN);
	CHECK_OK(pipe(fd));
	CHECK_ERRNO(accept(fd[0], NULL, NULL), ENOTSOCK);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
