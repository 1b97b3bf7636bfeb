// SPDX-License-Identifier: BSD-2-Clause
// F_GETOWN named a thread that had been made a descriptor's owner (F_SETOWN_EX) by another number than gettid.
#include "../posix/harness.h"

static int s[2];

static void *owns(void *arg)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };

	CHECK_OK(fcntl(s[0], F_SETOWN_EX, &owner));
	CHECK_EQ(fcntl(s[0], F_GETOWN), owner.pid);
	CHECK_OK(fcntl(s[0], F_SETOWN, getpid()));
	CHECK_EQ(fcntl(s[0], F_GETOWN), getpid());
	CHECK_OK(fcntl(s[0], F_SETOWN, -getpgrp()));
	CHECK_EQ(fcntl(s[0], F_GETOWN), -getpgrp());
	CHECK_OK(fcntl(s[0], F_SETOWN, 0));
	CHECK_EQ(fcntl(s[0], F_GETOWN), 0);
	CHECK_ERRNO(fcntl(-1, F_GETOWN), EBADF);
	return arg;
}

int main(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	for (int i = 0; i < 3; i++)
		join(spawn(owns, NULL));
}
