// SPDX-License-Identifier: BSD-2-Clause
// The stack of the initial thread grows on its own up to RLIMIT_STACK (getrlimit(2)), as far as 6 of 8 MB here:
// beside threads that wait or compute, after they have ended, in signal handlers, and after main has chosen its
// processors.
#include "../main-stack.h"

static void goes_deep(void)
{
	CHECK_EQ(deepen(6 * MB), 0);
}

int main(int argc UNUSED, char **argv)
{
	limit_stack(argv);
	stack_use = goes_deep;
	for (int i = 0; i < STACK_SITUATIONS; i++)
		CHECK_EQ(in_child(stack_situations[i]), 0);
	beside_those_that_compute();		/* in a process that is no child */
	goes_deep();
}
