// SPDX-License-Identifier: BSD-2-Clause
// F_DUPFD gives the lowest free number from its argument on; the flags of the description are shared.
#include "../harness.h"

static void *body(void *arg)
{
	int fd[2], d;
	char c;

	CHECK_OK(pipe(fd));
	d = fcntl(fd[0], F_DUPFD, 50);
	CHECK_EQ(d, 50);
	CHECK_OK(fcntl(d, F_SETFL, fcntl(d, F_GETFL) | O_NONBLOCK));
	CHECK_ERRNO(read(fd[0], &c, 1), EAGAIN);
	d = fcntl(fd[0], F_DUPFD_CLOEXEC, 50);
	CHECK_EQ(d, 51);
	CHECK(fcntl(d, F_GETFD) & FD_CLOEXEC);
	CHECK(!(fcntl(50, F_GETFD) & FD_CLOEXEC));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
