// SPDX-License-Identifier: BSD-2-Clause
// sigaltstack: ENOMEM below the least size, EINVAL for bad flags, EPERM while on it, SS_ONSTACK told.
#include "../harness.h"

static char memory[65536];
static atomic_int calls;

static void handler(int sig UNUSED)
{
	stack_t ss = { .ss_sp = memory, .ss_size = sizeof memory }, now;
	char here;

	CHECK(&here >= memory && &here < memory + sizeof memory);
	CHECK_OK(sigaltstack(NULL, &now));
	CHECK(now.ss_flags & SS_ONSTACK);
	CHECK_ERRNO(sigaltstack(&ss, NULL), EPERM);
	calls++;
}

static void *body(void *arg)
{
	stack_t ss = { .ss_sp = memory, .ss_size = 100 };

	CHECK_ERRNO(sigaltstack(&ss, NULL), ENOMEM);
	ss = (stack_t){ .ss_sp = memory, .ss_size = sizeof memory, .ss_flags = 12345 };
	CHECK_ERRNO(sigaltstack(&ss, NULL), EINVAL);
	ss.ss_flags = 0;
	CHECK_OK(sigaltstack(&ss, NULL));
	raise(SIGUSR1);
	CHECK_EQ(calls, 1);
	ss.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&ss, NULL));
	CHECK_OK(sigaltstack(NULL, &ss));
	CHECK(ss.ss_flags & SS_DISABLE);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_ONSTACK);
	join(spawn(body, NULL));
}
