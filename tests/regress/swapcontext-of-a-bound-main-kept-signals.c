// SPDX-License-Identifier: BSD-2-Clause
// Main had a kernel thread of its own, and entered a context that blocks a signal: others did not know that, and left
// signals of the process to main, where they stayed.
#include "../posix/on_main.h"

#include <ucontext.h>

enum { TIMES = 5, STACK = 256 << 10 };

static ucontext_t home, blocks;

static void kill_by_another(void)
{
	CHECK_OK(kill(getppid(), SIGUSR1));
}

static void in_the_context(void)
{
	for (int n = 1;; n++) {
		CHECK_EQ(in_child(kill_by_another), 0);
		WAIT_FOR(elsewhere == n);
		CHECK_EQ(on_main, 0);
		CHECK_OK(swapcontext(&blocks, &home));
	}
}

/* Of those who admit it the kernel prefers main. */
static void check_main_admits(int n)
{
	CHECK_EQ(in_child(kill_by_another), 0);
	WAIT_FOR(on_main + elsewhere == n);
	CHECK_EQ(on_main, 1);
}

int main(void)
{
	cpu_set_t cpus = one_cpu();
	pthread_t t;

	main_thread = pthread_self();
	on_signal(SIGUSR1, handler, SA_RESTART);
	t = spawn(computes, NULL);
	CHECK_OK(sched_setaffinity(0, sizeof(cpus), &cpus));
	CHECK_OK(getcontext(&blocks));
	sigaddset(&blocks.uc_sigmask, SIGUSR1);
	blocks.uc_stack.ss_sp = malloc(STACK);
	blocks.uc_stack.ss_size = STACK;
	makecontext(&blocks, in_the_context, 0);
	for (int i = 0; i < TIMES; i++)
		CHECK_OK(swapcontext(&home, &blocks));
	check_main_admits(TIMES + 1);
	stop = true;
	join(t);
}
