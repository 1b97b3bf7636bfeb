// SPDX-License-Identifier: BSD-2-Clause
// WNOHANG gives 0 while the child runs; without children it is ECHILD; each child is told once.
#include "../harness.h"

static void *body(void *arg)
{
	int status;
	pid_t pid;

	CHECK_ERRNO(waitpid(-1, &status, 0), ECHILD);
	pid = fork_watched();
	if (pid == 0) {
		for (;;)
			pause();
	}
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	CHECK_OK(kill(pid, SIGTERM));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	CHECK_ERRNO(waitpid(pid, &status, 0), ECHILD);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
