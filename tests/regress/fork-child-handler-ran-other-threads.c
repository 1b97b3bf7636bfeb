// SPDX-License-Identifier: BSD-2-Clause
// A child's handler that a library registered before all others yields: only the forking thread is there.
#include "../posix/harness.h"

#include <linux/futex.h>

static atomic_bool stop;
static atomic_int children_run;

static void in_the_child(void)
{
	struct timespec moment = { .tv_nsec = 1000 };

	for (int i = 0; i < 10; i++)
		sched_yield();
	CHECK_OK(nanosleep(&moment, NULL));
	syscall(SYS_futex, &children_run, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void early(void)
{
	CHECK_OK(pthread_atfork(NULL, NULL, in_the_child));
}

/* Before any constructor. */
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = early;

static void *body(void *arg)
{
	pid_t mine = getpid();

	while (!stop)
		if (getpid() != mine) {
			(void)!write(2, "a thread runs in the child\n", 27);
			_exit(1);
		}
	return arg;
}

static void child(void)
{
}

int main(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(in_child(child), 0);
	stop = true;
	join_many(t, 4);
}
