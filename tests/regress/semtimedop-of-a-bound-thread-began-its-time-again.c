// SPDX-License-Identifier: BSD-2-Clause
// Children that end, SIGCHLD being blocked by other threads: each began the whole time limit of a bound thread's semtimedop
// again.
#include "../posix/harness.h"
#include <sys/fsuid.h>
#include <sys/sem.h>

enum { LIMIT_MS = 200, EACH_MS = 50, CHILDREN = 200 };

static atomic_bool has_begun, has_ended;

static void *waits(void *arg)
{
	struct sembuf take = { 0, -1, 0 };
	struct timespec limit = ms_span(LIMIT_MS);

	unblock_signal(SIGCHLD);
	setfsuid(getuid());		/* a kernel thread of its own */
	has_begun = true;
	CHECK_EQ(semtimedop((int)(intptr_t)arg, &take, 1, &limit), -1);
	CHECK(errno == EAGAIN || errno == EINTR);
	has_ended = true;
	return arg;
}

int main(void)
{
	int id = semget(IPC_PRIVATE, 1, 0600);

	if (id < 0)
		skip("the kernel has no System V semaphores");
	block_signal(SIGCHLD);
	pthread_t t = spawn(waits, (void *)(intptr_t)id);

	WAIT_FOR(has_begun);
	int n = 0;

	for (; n < CHILDREN && !has_ended; n++) {
		if (fork_watched() == 0)
			_exit(0);
		sleep_ms(EACH_MS);
	}
	semctl(id, IPC_RMID, 0);
	join(t);
	CHECK(n < CHILDREN);		/* that is ten seconds */
}
