// SPDX-License-Identifier: BSD-2-Clause
// A named semaphore that was unlinked works on for those that have it open, threads and children.
#include "../harness.h"

static sem_t *s;

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(s));
	return arg;
}

int main(void)
{
	char name[64];
	pthread_t t;
	pid_t pid;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (s == SEM_FAILED)
		skip("no named semaphores here");
	CHECK_OK(sem_unlink(name));
	t = spawn(waits, NULL);
	settle();
	pid = fork_watched();
	if (pid == 0)
		_exit(sem_post(s) != 0);
	join(t);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_OK(sem_close(s));
}
