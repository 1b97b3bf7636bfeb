// SPDX-License-Identifier: BSD-2-Clause
// WUNTRACED and WCONTINUED tell of a child that was stopped and continued.
#include "../harness.h"

static void *body(void *arg)
{
	int status;
	pid_t pid = fork_watched();

	if (pid == 0) {
		for (;;)
			pause();
	}
	CHECK_OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	CHECK_OK(kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &status, WCONTINUED), pid);
	CHECK(WIFCONTINUED(status));
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
