// SPDX-License-Identifier: BSD-2-Clause
// SIGSTOP stops all threads of a process and SIGCONT lets them go on.
#include "../harness.h"

static atomic_int *count;

static void *body(void *arg UNUSED)
{
	for (;;) {
		sleep_ms(1);
		(*count)++;
	}
	return NULL;
}

int main(void)
{
	pid_t pid;
	int status, before;

	count = shared_memory(sizeof *count);
	pid = fork_watched();
	if (pid == 0) {
		pthread_t t[2];

		spawn_many(t, 2, body);
		join_many(t, 2);
	}
	WAIT_FOR(*count > 5);
	CHECK_OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	before = *count;
	settle();
	CHECK_EQ(*count, before);
	CHECK_OK(kill(pid, SIGCONT));
	WAIT_FOR(*count > before + 5);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}
