// SPDX-License-Identifier: BSD-2-Clause
// A socket that was made non-blocking, or given a limit of time, by number was still taken for one that blocks by a thread
// that had waited for it.
#include "../posix/harness.h"
#include <sys/ioctl.h>

enum { BY_FCNTL, BY_IOCTL, BY_SETSOCKOPT, WAYS };

static int s[2];
static atomic_bool waits;

static void change(int way)
{
	struct timeval limit = { 0, 20000 };
	int on = 1;

	switch (way) {
	case BY_FCNTL:
		CHECK_OK(syscall(SYS_fcntl, s[0], F_SETFL, O_RDWR | O_NONBLOCK));
		CHECK_ERRNO(syscall(SYS_fcntl, -1, F_SETFL, O_NONBLOCK), EBADF);
		break;
	case BY_IOCTL:
		CHECK_OK(syscall(SYS_ioctl, s[0], FIONBIO, &on));
		CHECK_ERRNO(syscall(SYS_ioctl, -1, FIONBIO, &on), EBADF);
		break;
	default:
		CHECK_OK(syscall(SYS_setsockopt, s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
		CHECK_ERRNO(syscall(SYS_setsockopt, -1, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), EBADF);
	}
}

static void *receives(void *arg)
{
	char c;

	waits = true;
	CHECK_EQ(recv(s[0], &c, 1, 0), 1);
	change((int)(intptr_t)arg);
	CHECK_ERRNO(recv(s[0], &c, 1, 0), EAGAIN);
	return arg;
}

int main(void)
{
	for (int way = 0; way < WAYS; way++) {
		waits = false;
		CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
		pthread_t t = spawn(receives, (void *)(intptr_t)way);

		WAIT_FOR(waits);
		settle();
		CHECK_EQ(send(s[1], "x", 1, 0), 1);
		join(t);
		CHECK_OK(close(s[0]));
		CHECK_OK(close(s[1]));
	}
}
