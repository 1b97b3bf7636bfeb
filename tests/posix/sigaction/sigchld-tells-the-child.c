// SPDX-License-Identifier: BSD-2-Clause
// SIGCHLD tells the child's process ID, status and how it ended.
#include "../harness.h"

static siginfo_t last;
static atomic_int calls;

static void handler(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	last = *info;
	calls++;
}

static void *body(void *arg)
{
	pid_t pid = fork_watched();

	if (pid == 0)
		_exit(9);
	WAIT_FOR(calls == 1);
	CHECK_EQ(last.si_pid, pid);
	CHECK_EQ(last.si_code, CLD_EXITED);
	CHECK_EQ(last.si_status, 9);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGCHLD, &sa, NULL));
	join(spawn(body, NULL));
}
