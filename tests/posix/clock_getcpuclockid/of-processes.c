// SPDX-License-Identifier: BSD-2-Clause
// clock_getcpuclockid names the CPU clock of a process: of this one, of a child; ESRCH of none.
#include "../harness.h"

static void *body(void *arg)
{
	clockid_t own, childs;
	pid_t pid;

	CHECK_OK(clock_getcpuclockid(0, &own));
	CHECK(now_on(own) > 0);
	pid = fork_watched();
	if (pid == 0) {
		for (;;)
			pause();
	}
	CHECK_OK(clock_getcpuclockid(pid, &childs));
	CHECK(now_on(childs) < 1000000000);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(clock_getcpuclockid(pid, &childs), ESRCH);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
