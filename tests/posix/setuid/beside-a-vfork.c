// SPDX-License-Identifier: BSD-2-Clause
// setuid changes a thread, too, that is in vfork and waits for its child (vfork(2): the calling thread is suspended until the
// child terminates or executes); it waits for that one.
#include "../harness.h"

enum { CHILD_MS = 300 };

static atomic_bool is_child_there, is_child_over;

static void *waits_for_its_child(void *arg)
{
	pid_t pid = vfork();

	if (pid == 0) {
		struct timespec span = ms_span(CHILD_MS);

		is_child_there = true;
		syscall(SYS_nanosleep, &span, NULL);
		is_child_over = true;
		_exit(0);
	}
	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(waits_for_its_child, NULL);

	WAIT_FOR(is_child_there);
	CHECK_OK(setgid(getgid()));
	CHECK(is_child_over);
	join(t);
}
