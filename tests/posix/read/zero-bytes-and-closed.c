// SPDX-License-Identifier: BSD-2-Clause
// read of 0 bytes returns 0 at once; of a closed descriptor, or one not open for reading, EBADF.
#include "../harness.h"

static void *body(void *arg)
{
	int fd[2];
	char c;

	CHECK_OK(pipe(fd));
	CHECK_EQ(read(fd[0], &c, 0), 0);
	CHECK_ERRNO(read(fd[1], &c, 1), EBADF);
	CHECK_ERRNO(write(fd[0], &c, 1), EBADF);
	close(fd[0]);
	close(fd[1]);
	CHECK_ERRNO(read(fd[0], &c, 1), EBADF);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
