// SPDX-License-Identifier: BSD-2-Clause
// A stack that is disabled is reported without an address; flags that contradict each other are EINVAL.
#include "../harness.h"

static void *body(void *arg)
{
	static _Thread_local char memory[64 * 1024];
	stack_t on = { .ss_sp = memory, .ss_size = sizeof(memory) }, off = on, is;

	off.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&on, NULL));
	CHECK_OK(sigaltstack(&off, &is));
	CHECK(is.ss_sp == memory && is.ss_size == sizeof(memory) && is.ss_flags == 0);
	CHECK_OK(sigaltstack(NULL, &is));
	CHECK(is.ss_sp == NULL && is.ss_size == 0 && is.ss_flags == SS_DISABLE);
	on.ss_flags = SS_DISABLE | SS_ONSTACK;
	CHECK_ERRNO(sigaltstack(&on, NULL), EINVAL);
	return arg;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
	body(NULL);
}
