// SPDX-License-Identifier: BSD-2-Clause
// wait, waitpid with WNOHANG, waitid with WNOWAIT and wait4 tell about children.
#include "../harness.h"
#include <sys/resource.h>

static pid_t child_exiting(int code)
{
	pid_t pid = fork_watched();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(code);
	return pid;
}

static void *body(void *arg UNUSED)
{
	pid_t a = child_exiting(3);
	struct rusage u;
	siginfo_t info = { 0 };
	int status;

	CHECK_OK(waitid(P_PID, (id_t)a, &info, WEXITED | WNOWAIT));
	CHECK_EQ(info.si_status, 3);
	CHECK_EQ(waitpid(a, &status, WNOHANG), a);
	CHECK_EQ(WEXITSTATUS(status), 3);
	a = child_exiting(4);
	CHECK_EQ(wait4(a, &status, 0, &u), a);
	CHECK_EQ(WEXITSTATUS(status), 4);
	a = child_exiting(5);
	CHECK_EQ(wait(&status), a);
	CHECK_EQ(WEXITSTATUS(status), 5);
	CHECK_ERRNO(wait(&status), ECHILD);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
