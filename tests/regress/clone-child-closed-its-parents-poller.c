// SPDX-License-Identifier: BSD-2-Clause
// A child of clone's that has its parent's descriptors, but not its memory, closed those of the runtime's for both: no
// thread of the parent's that waited for a descriptor was woken any more.  The child itself may wait, and make threads.
#include "../posix/harness.h"

enum { OTHERS = 4, ROUNDS = 5 };

static int p[OTHERS][2], q[2];

static void *echoes(void *arg)
{
	int i = (int)(intptr_t)arg;
	char c;

	while (read(p[i][0], &c, 1) == 1 && c != 'q')
		CHECK_EQ(write(q[1], &c, 1), 1);
	return arg;
}

static void asks(void)
{
	char c;

	for (int i = 0; i < OTHERS; i++) {
		CHECK_EQ(write(p[i][1], "x", 1), 1);
		CHECK_EQ(read(q[0], &c, 1), 1);
	}
}

static int own[2];

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(read(own[0], &c, 1), 1);
	return arg;
}

static int child(void *makes_threads)
{
	alarm(WATCHDOG_SECONDS);
	if (makes_threads) {
		CHECK_OK(pipe(own));
		pthread_t t = spawn(reads, NULL);

		sleep_ms(5);
		CHECK_EQ(write(own[1], "x", 1), 1);
		join(t);
		close(own[0]);
		close(own[1]);
	}
	return 7;
}

static void check_child(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 7 << 8);
	asks();
}

int main(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pthread_t others[OTHERS];

	CHECK_OK(pipe(q));
	for (int i = 0; i < OTHERS; i++)
		CHECK_OK(pipe(p[i]));
	spawn_many(others, OTHERS, echoes);
	asks();
	for (intptr_t i = 0; i < ROUNDS; i++) {
		check_child(clone(child, stack + sizeof(stack), CLONE_FILES | SIGCHLD, (void *)(i % 2)));
#ifdef __x86_64__
		pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);

		if (pid == 0)
			_exit(child((void *)(i % 2)));
		check_child(pid);
#endif
	}
	for (int i = 0; i < OTHERS; i++)
		CHECK_EQ(write(p[i][1], "q", 1), 1);
	join_many(others, OTHERS);
}
