// SPDX-License-Identifier: BSD-2-Clause
// When the last thread ends, the process exits with status 0 and runs its atexit handlers.
#include "../harness.h"

static int fd[2];

static void at_exit(void)
{
	CHECK_EQ(write(fd[1], "x", 1), 1);
}

static void *body(void *arg)
{
	settle();
	return arg;
}

static void child(void)
{
	atexit(at_exit);
	CHECK_OK(pthread_detach(spawn(body, NULL)));
	pthread_exit((void *)5);
}

int main(void)
{
	char c = 0;

	CHECK_OK(pipe(fd));
	CHECK_EQ(in_child(child), 0);
	close(fd[1]);
	CHECK_EQ(read(fd[0], &c, 1), 1);
	CHECK_EQ(c, 'x');
}
