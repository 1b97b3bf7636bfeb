// SPDX-License-Identifier: BSD-2-Clause
// wait, waitid, wait3 and wait4 are cancellation points.
#include "../cancel.h"

#include <sys/resource.h>

static pid_t pid;

static void call(void *arg)
{
	siginfo_t info;

	switch ((intptr_t)arg) {
	case 0: wait(NULL); break;
	case 1: waitid(P_PID, (id_t)pid, &info, WEXITED); break;
	case 2: wait3(NULL, 0, NULL); break;
	case 3: wait4(pid, NULL, 0, NULL); break;
	}
}

int main(void)
{
	pid = fork_watched();
	if (pid == 0) {
		for (;;)
			pause();
	}
	for (intptr_t i = 0; i < 4; i++)
		check_cancels(call, (void *)i);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}
