// SPDX-License-Identifier: BSD-2-Clause
// SIGCHLD reaches a handler in a multithreaded process for each child that ends, and wait gets
// them all.
#include "../harness.h"

static atomic_int handled, reaped;

static void handler(int sig UNUSED)
{
	int saved = errno;

	handled++;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = saved;
}

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork_watched();

		CHECK(pid >= 0);
		if (pid == 0)
			_exit(0);
		sleep_ms(1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	on_signal(SIGCHLD, handler, SA_RESTART | SA_NOCLDSTOP);
	spawn_many(t, 3, body);
	join_many(t, 3);
	WAIT_FOR(reaped == 30);
	CHECK(handled > 0);
}
