// SPDX-License-Identifier: BSD-2-Clause
/*
 * A function that switches returns as any other, by `ret` or by a jump, as it is told, which is told once; and at each of its
 * instructions, and of those that it ends in, its caller is found.
 */
#include "threads.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include <unwind.h>

#include "arch/arch.h"

enum { TRAP_FLAG = 1 << 8 };

struct pair { uint64_t first, second; };

/* Two registers, and one that it must keep. */
static __attribute__((noinline)) ARCH_SWITCHES struct pair returns(uint64_t n, bool by_jump)
{
	ARCH_RETURN_BY_JUMP_IF(by_jump);
	__asm__ volatile("" : : : "rbx", "r12");
	return (struct pair){ n, n + 1 };
}

static void test_values(void)
{
	for (uint64_t i = 0; i < 1000; i++) {
		struct pair got = returns(i, i % 3 == 0);

		CHECK(got.first == i && got.second == i + 1);
		CHECK(!arch_returns_by_jump);
	}
}

static void call_in_steps(bool by_jump);
static volatile int steps, found;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *arg)
{
	*(bool *)arg |= _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context)) == (void *)call_in_steps;
	return _URC_NO_REASON;
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	bool is_found = false;

	(void)sig, (void)info, (void)context;
	_Unwind_Backtrace(look, &is_found);
	steps++;
	found += is_found;
}

static __attribute__((noinline)) void call_in_steps(bool by_jump)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orl %0, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" : : "i"(TRAP_FLAG)
			 : "cc", "memory");
	returns(1, by_jump);
	__asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; andl %0, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" : : "i"(~TRAP_FLAG)
			 : "cc", "memory");
}

static void test_caller_is_found(void)
{
	struct sigaction sa = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	CHECK(sigaction(SIGTRAP, &sa, NULL) == 0);
	for (int by_jump = 0; by_jump < 2; by_jump++) {
		steps = found = 0;
		call_in_steps(by_jump);
		CHECK(steps > 10);
		CHECK(found == steps);
	}
}

int main(void)
{
#if !__has_attribute(function_return)
	printf("skip: no such functions by this compiler\n");
	return 77;
#endif
	test_values();
	test_caller_is_found();
	return 0;
}
