// SPDX-License-Identifier: BSD-2-Clause
// tkill(2) by number takes the number of any process's thread.
#include "../harness.h"

int main(void)
{
	int status;

	join(spawn(nothing, NULL));
	pid_t pid = fork_watched();

	if (pid == 0)
		for (;;)
			pause();
	CHECK_OK(syscall(SYS_tkill, pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
