// SPDX-License-Identifier: BSD-2-Clause
// A thread that polls a pidfd is told when the process ends.
#include "../harness.h"

static void *body(void *arg)
{
	struct pollfd f = { .fd = (int)(intptr_t)arg, .events = POLLIN };

	CHECK_EQ(poll(&f, 1, -1), 1);
	CHECK(f.revents & POLLIN);
	return NULL;
}

int main(void)
{
	pid_t pid = fork_watched();
	pthread_t t;
	int status, fd;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd == -1)
		skip("no pidfd here");
	t = spawn(body, (void *)(intptr_t)fd);
	settle();
	CHECK_OK(kill(pid, SIGKILL));
	join(t);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}
