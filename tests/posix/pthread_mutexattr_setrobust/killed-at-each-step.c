// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock: where the process that owns a robust mutex ends, the next one who locks it is told
// EOWNERDEAD: wherever in a lock or an unlock by its main thread it was killed.
#include "steps.h"

enum { PART_MS = 600 };

static struct stepped stopped_child(void)
{
	int status;
	pid_t pid = fork_watched();

	if (pid == 0) {
		CHECK_OK(ptrace(PTRACE_TRACEME, 0, 0, 0));
		raise(SIGSTOP);
		lock_once();
		for (;;)
			pause();
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		skip("a child may not be traced");
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	return (struct stepped){ pid, pid };
}

int main(void)
{
	make_shared();
	kill_at_each(false, PART_MS);		/* by a process that never had another thread */
	kill_at_each(true, PART_MS);
	kill_at_each(false, PART_MS);
	CHECK_OK(pthread_mutex_destroy(&s->m));
}
