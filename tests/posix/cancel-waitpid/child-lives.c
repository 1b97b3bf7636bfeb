// SPDX-License-Identifier: BSD-2-Clause
// waitpid and waitid are cancellation points; the child can still be waited for.
#include "../cancel.h"

static void with_waitpid(void *arg)
{
	int status;

	waitpid(*(pid_t *)arg, &status, 0);
}

static void with_waitid(void *arg)
{
	siginfo_t info;

	waitid(P_PID, (id_t)*(pid_t *)arg, &info, WEXITED);
}

int main(void)
{
	pid_t pid = fork_watched();
	int status;

	if (pid == 0) {
		sleep(WATCHDOG_SECONDS);
		_exit(0);
	}
	check_cancels(with_waitpid, &pid);
	check_cancels(with_waitid, &pid);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}
