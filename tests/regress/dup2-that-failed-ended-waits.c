// SPDX-License-Identifier: BSD-2-Clause
// dup2 from a descriptor that is not open fails, and those who waited for the other one got EBADF.
#include "../posix/parked.h"

static int ends[2];

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(recv(ends[0], &c, 1, 0), 1);
	return arg;
}

int main(void)
{
	park_some();
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	pthread_t reader = spawn(reads, NULL);

	settle();
	CHECK_ERRNO(dup2(999, ends[0]), EBADF);
	CHECK_ERRNO(dup3(999, ends[0], 0), EBADF);
	CHECK_ERRNO(dup3(ends[1], ends[0], 1), EINVAL);
	CHECK_ERRNO(syscall(SYS_dup3, 999, ends[0], 0), EBADF);
	settle();
	CHECK_EQ(send(ends[1], "x", 1, 0), 1);
	join(reader);
	_exit(0);
}
