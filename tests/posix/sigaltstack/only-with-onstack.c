// SPDX-License-Identifier: BSD-2-Clause
// A handler without SA_ONSTACK stays on the thread's stack; with it, and no alternate stack, too.
#include "../harness.h"

static char memory[65536];
static bool want;
static atomic_int calls;

static void handler(int sig UNUSED)
{
	char here;

	CHECK_EQ(&here >= memory && &here < memory + sizeof memory, want);
	calls++;
}

static void *body(void *arg)
{
	stack_t ss = { .ss_sp = memory, .ss_size = sizeof memory };

	raise(SIGUSR2);
	CHECK_OK(sigaltstack(&ss, NULL));
	raise(SIGUSR1);
	want = true;
	raise(SIGUSR2);
	CHECK_EQ(calls, 3);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGUSR2, handler, SA_ONSTACK);
	join(spawn(body, NULL));
}
