// SPDX-License-Identifier: BSD-2-Clause
// dup2 of a descriptor onto itself changes nothing; dup3 refuses that with EINVAL; EBADF otherwise.
#include "../harness.h"

static void *body(void *arg)
{
	int fd[2];

	CHECK_OK(pipe(fd));
	CHECK_EQ(dup2(fd[0], fd[0]), fd[0]);
	CHECK_ERRNO(dup3(fd[0], fd[0], 0), EINVAL);
	CHECK_ERRNO(dup2(900, 5), EBADF);
	CHECK_ERRNO(dup2(fd[0], -1), EBADF);
	CHECK_EQ(dup2(fd[0], 77), 77);
	CHECK_EQ(dup3(fd[1], 77, O_CLOEXEC), 77);
	CHECK_EQ(write(77, "x", 1), 1);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
