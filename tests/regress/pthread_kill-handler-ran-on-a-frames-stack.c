// SPDX-License-Identifier: BSD-2-Clause
// Code on a stack of its own making, interrupted by a SIGURG of the program's: the handler ran on what its thread had got for
// the frames of preemptions, and not on the alternate stack; the next preemption overwrote its frames.
#include "../posix/harness.h"

#include <ucontext.h>

enum { STACK = 256 << 10, ALT = 64 << 10, ROUNDS = 10, OTHERS = 2 };

static atomic_bool has_begun, over;
static atomic_int handled;
static __thread char *alt;

static void handler(int sig)
{
	volatile unsigned char pattern[4096];
	uint64_t end = now_ns() + 30000000;

	(void)sig;
	CHECK((uintptr_t)pattern - (uintptr_t)alt < ALT);
	for (unsigned i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)i;
	while (now_ns() < end)
		;
	for (unsigned i = 0; i < sizeof(pattern); i++)
		CHECK_EQ(pattern[i], (unsigned char)i);
	handled++;
}

static void compute(void)
{
	for (volatile unsigned long i = 0; !over; i++)
		;
}

static void *on_own_stack(void *arg)
{
	static __thread ucontext_t here, there;
	stack_t none = { .ss_flags = SS_DISABLE }, ss = { .ss_size = ALT };
	void *stack = malloc(STACK);

	ss.ss_sp = alt = malloc(ALT);
	CHECK_OK(sigaltstack(&ss, NULL));
	CHECK_OK(getcontext(&there));
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, compute, 0);
	has_begun = true;
	CHECK_OK(swapcontext(&here, &there));
	CHECK_OK(sigaltstack(&none, NULL));
	free(stack);
	free(alt);
	return arg;
}

static void *beside(void *arg)
{
	compute();
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
	pthread_t t, others[OTHERS];

	CHECK_OK(sigaction(SIGURG, &act, NULL));
	t = spawn(on_own_stack, NULL);
	WAIT_FOR(has_begun);
	spawn_many(others, OTHERS, beside);
	for (int i = 1; i <= ROUNDS; i++) {
		sleep_ms(5);
		CHECK_EQ(pthread_kill(t, SIGURG), 0);
		WAIT_FOR(handled == i);
	}
	over = true;
	join(t);
	join_many(others, OTHERS);
	return 0;
}
