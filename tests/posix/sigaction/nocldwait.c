// SPDX-License-Identifier: BSD-2-Clause
// With SA_NOCLDWAIT, or SIGCHLD ignored, children leave no zombies: wait is ECHILD.
#include "../harness.h"

static void *body(void *arg)
{
	pid_t pid;

	signal(SIGCHLD, SIG_IGN);
	pid = fork_watched();
	if (pid == 0)
		_exit(3);
	CHECK_ERRNO(waitpid(pid, NULL, 0), ECHILD);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
