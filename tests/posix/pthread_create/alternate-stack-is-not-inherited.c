// SPDX-License-Identifier: BSD-2-Clause
// The alternate signal stack of the creator is not the new thread's.
#include "../harness.h"

static void *body(void *arg)
{
	stack_t ss;

	CHECK_OK(sigaltstack(NULL, &ss));
	CHECK(ss.ss_flags & SS_DISABLE);
	return arg;
}

static void *creator(void *arg)
{
	static char memory[65536];
	stack_t ss = { .ss_sp = memory, .ss_size = sizeof memory };

	CHECK_OK(sigaltstack(&ss, NULL));
	join(spawn(body, NULL));
	CHECK_OK(sigaltstack(NULL, &ss));
	CHECK(ss.ss_sp == memory && !(ss.ss_flags & SS_DISABLE));
	return arg;
}

int main(void)
{
	join(spawn(creator, NULL));
}
