// SPDX-License-Identifier: BSD-2-Clause
// makecontext, swapcontext and getcontext work in a thread, and the signal mask goes with the
// context.
#include "../harness.h"
#include <ucontext.h>

#define SIZE 65536

static __thread ucontext_t home, other;
static __thread int steps;

static void coroutine(void)
{
	for (int i = 0; i < 3; i++) {
		steps++;
		sched_yield();
		CHECK_OK(swapcontext(&other, &home));
	}
}

static void *body(void *arg UNUSED)
{
	char *stack = malloc(SIZE);
	sigset_t now;

	CHECK_OK(getcontext(&other));
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = SIZE;
	other.uc_link = &home;
	sigaddset(&other.uc_sigmask, SIGUSR2);
	makecontext(&other, coroutine, 0);
	for (int i = 1; i <= 3; i++) {
		CHECK_OK(swapcontext(&home, &other));
		CHECK_EQ(steps, i);
		CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
		CHECK(!sigismember(&now, SIGUSR2));
	}
	free(stack);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	spawn_many(t, 3, body);
	join_many(t, 3);
}
