// SPDX-License-Identifier: BSD-2-Clause
// A signalfd gives signals of its set that are blocked, with their sender and value.
#include "../harness.h"

#include <sys/signalfd.h>

static void *body(void *arg)
{
	struct signalfd_siginfo info;
	sigset_t s = set_of(SIGRTMIN + 1);
	int fd = signalfd(-1, &s, SFD_NONBLOCK);

	CHECK(fd >= 0);
	CHECK_ERRNO(read(fd, &info, sizeof info), EAGAIN);
	CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = 5 }));
	CHECK_EQ(read(fd, &info, sizeof info), sizeof info);
	CHECK_EQ(info.ssi_signo, SIGRTMIN + 1);
	CHECK_EQ(info.ssi_int, 5);
	CHECK_EQ(info.ssi_pid, getpid());
	CHECK_ERRNO(read(fd, &info, sizeof info), EAGAIN);
	return arg;
}

int main(void)
{
	block_signal(SIGRTMIN + 1);
	join(spawn(body, NULL));
}
