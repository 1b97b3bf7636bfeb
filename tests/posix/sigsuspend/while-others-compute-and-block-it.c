// SPDX-License-Identifier: BSD-2-Clause
// A signal from another process comes to the thread in sigsuspend while all others compute and block it.
#include "../harness.h"

#define COMPUTING 4

static atomic_bool is_over;
static atomic_int calls, computing;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *compute(void *arg UNUSED)
{
	computing++;
	while (!is_over)
		;
	return NULL;
}

static void *body(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	CHECK_ERRNO(sigsuspend(&none), EINTR);
	CHECK_EQ(calls, 1);
	is_over = true;
	return arg;
}

static void *killer(void *arg)
{
	pid_t self = getpid(), pid = fork_watched();
	int status;

	if (pid == 0) {
		sleep_ms(100);
		_exit(kill(self, SIGUSR1) != 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return arg;
}

int main(void)
{
	pthread_t t[COMPUTING], suspended, sender;

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	suspended = spawn(body, NULL);
	sender = spawn(killer, NULL);
	settle();
	spawn_many(t, COMPUTING, compute);
	join(suspended);
	join(sender);
	join_many(t, COMPUTING);
}
