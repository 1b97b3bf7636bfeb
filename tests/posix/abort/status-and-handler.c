// SPDX-License-Identifier: BSD-2-Clause
// abort raises SIGABRT, whose handler may run, and ends the process even if it is ignored.
#include "../harness.h"

static int fd[2];

static void handler(int sig UNUSED)
{
	CHECK_EQ(write(fd[1], "h", 1), 1);
}

static void *aborts(void *arg UNUSED)
{
	abort();
}

static void handled(void)
{
	on_signal(SIGABRT, handler, 0);
	join(spawn(aborts, NULL));
}

static void ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	join(spawn(aborts, NULL));
}

int main(void)
{
	char c = 0;
	int status;

	CHECK_OK(pipe(fd));
	status = in_child(handled);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK_EQ(read(fd[0], &c, 1), 1);
	CHECK_EQ(c, 'h');
	status = in_child(ignored);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
