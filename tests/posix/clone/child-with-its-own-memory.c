// SPDX-License-Identifier: BSD-2-Clause
// A child that clone makes without sharing memory, by function and by number, is one of fork's: it waits, and ends, by
// itself, whatever other threads its parent has.
#include "../harness.h"

enum { OTHERS = 4, ROUNDS = 10 };

static atomic_bool stop;
static int p[2];

static void *waits(void *arg)
{
	while (!stop)
		usleep(300);
	return arg;
}

static int child(void *arg)
{
	char c;

	alarm(WATCHDOG_SECONDS);
	sleep_ms(5);
	CHECK_EQ(read(p[0], &c, 1), 1);		/* waits for the parent */
	CHECK_EQ(c, 'x');
	CHECK_EQ(getpid(), syscall(SYS_gettid));
	return (int)(intptr_t)arg;
}

static void check_child(pid_t pid, int status_wanted)
{
	int status;

	CHECK(pid > 0);
	sleep_ms(10);
	CHECK_EQ(write(p[1], "x", 1), 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, status_wanted << 8);
}

int main(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pthread_t others[OTHERS];

	CHECK_OK(pipe(p));
	spawn_many(others, OTHERS, waits);
	for (int i = 0; i < ROUNDS; i++) {
		check_child(clone(child, stack + sizeof(stack), SIGCHLD, (void *)7), 7);
#ifdef __x86_64__
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

		if (pid == 0)
			_exit(child((void *)9));
		check_child(pid, 9);
#endif
	}
	stop = true;
	join_many(others, OTHERS);
}
