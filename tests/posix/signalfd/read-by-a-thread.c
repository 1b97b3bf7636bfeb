// SPDX-License-Identifier: BSD-2-Clause
// A thread that reads a signalfd gets process-directed signals that all threads block.
#include "../harness.h"
#include <sys/signalfd.h>

static int fd;

static void *body(void *arg UNUSED)
{
	struct signalfd_siginfo info;

	for (int i = 0; i < 5; i++) {
		CHECK_EQ(read(fd, &info, sizeof info), (ssize_t)sizeof info);
		CHECK_EQ(info.ssi_signo, SIGRTMIN);
		CHECK_EQ(info.ssi_int, i);
	}
	return NULL;
}

int main(void)
{
	sigset_t s = set_of(SIGRTMIN);
	pthread_t t;

	block_signal(SIGRTMIN);
	fd = signalfd(-1, &s, SFD_CLOEXEC);
	CHECK(fd >= 0);
	t = spawn(body, NULL);
	settle();
	for (int i = 0; i < 5; i++)
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }));
	join(t);
}
