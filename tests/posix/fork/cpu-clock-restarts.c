// SPDX-License-Identifier: BSD-2-Clause
// The CPU clocks of a child start near 0.
#include "../harness.h"

static void *body(void *arg)
{
	pid_t pid;
	int status;

	while (now_on(CLOCK_THREAD_CPUTIME_ID) < 60000000)
		;
	pid = fork_watched();
	if (pid == 0)
		_exit(now_on(CLOCK_PROCESS_CPUTIME_ID) > 50000000 || now_on(CLOCK_THREAD_CPUTIME_ID) > 50000000);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
