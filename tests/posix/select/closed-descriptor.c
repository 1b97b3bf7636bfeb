// SPDX-License-Identifier: BSD-2-Clause
// A descriptor in a set that is not open is EBADF.
#include "../harness.h"

#include <sys/select.h>

static void *body(void *arg)
{
	fd_set r;
	int fd[2];

	CHECK_OK(pipe(fd));
	CHECK_OK(close(fd[0]));
	FD_ZERO(&r);
	FD_SET(fd[0], &r);
	CHECK_ERRNO(select(fd[0] + 1, &r, NULL, NULL, NULL), EBADF);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
