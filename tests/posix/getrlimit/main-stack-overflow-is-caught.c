// SPDX-License-Identifier: BSD-2-Clause
// Where the stack of the initial thread reaches RLIMIT_STACK, SIGSEGV is generated, which takes an alternate stack
// to handle (getrlimit(2)): the handler runs there, si_addr tells an address at the end of the stack, and main can
// leave by siglongjmp, again and again; without a handler, the process ends.  Beside threads, too, and wherever
// main is.
#include "../main-stack.h"

#include <setjmp.h>

enum { ALT = 65536, SLACK = 2 * MB };	/* what lies above main's frames, and a gap that the kernel keeps below */

static sigjmp_buf back;
static char alt[ALT];
static char *volatile fault, *volatile handled_on;
static volatile int code;

static void on_fault(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	char here;

	handled_on = (char *)(uintptr_t)&here;
	fault = info->si_addr;
	code = info->si_code;
	siglongjmp(back, 1);
}

static void set_up(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	CHECK_OK(sigaltstack(&(stack_t){ .ss_sp = alt, .ss_size = ALT }, NULL));
	CHECK_OK(sigaction(SIGSEGV, &sa, NULL));
}

static void overflows(void)
{
	char *here = __builtin_frame_address(0);

	set_up();
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			deepen(LIMIT + SLACK);
			CHECK(false);
		}
		CHECK(handled_on >= alt && handled_on < alt + ALT);
		CHECK(fault < here - LIMIT + SLACK && fault > here - LIMIT - SLACK);
		CHECK(code == SEGV_MAPERR || code == SEGV_ACCERR);
	}
	CHECK_EQ(deepen(6 * MB), 0);
}

static void overflows_unhandled(void)
{
	deepen(LIMIT + SLACK);
}

int main(int argc UNUSED, char **argv)
{
	limit_stack(argv);
	stack_use = overflows;
	for (int i = 0; i < STACK_SITUATIONS; i++)
		CHECK_EQ(in_child(stack_situations[i]), 0);
	stack_use = overflows_unhandled;
	int status = in_child(beside_those_that_compute);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
}
