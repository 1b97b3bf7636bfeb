// SPDX-License-Identifier: BSD-2-Clause
// A context whose mask has every signal blocked the one by which a thread that computes is made to give way.
#include "../posix/harness.h"

#include <ucontext.h>

enum { STACK = 256 << 10 };

static atomic_bool is_computing, is_over;

static void compute(void)
{
	is_computing = true;
	while (!is_over)
		;
}

static void *in_a_context(void *arg)
{
	static ucontext_t here, there;

	CHECK_OK(getcontext(&there));
	sigfillset(&there.uc_sigmask);
	there.uc_stack.ss_sp = malloc(STACK);
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, compute, 0);
	CHECK_OK(swapcontext(&here, &there));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(in_a_context, NULL);

	WAIT_FOR(is_computing);
	sleep_ms(10);
	is_over = true;
	join(t);
}
