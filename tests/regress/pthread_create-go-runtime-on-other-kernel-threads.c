// SPDX-License-Identifier: BSD-2-Clause
/*
 * An object that calls the kernel without libc, as Go's runtime does (its note says so), ties a thread
 * to its kernel thread: by number, alternate stack and signal mask.  It was moved to others.
 */
#include "../posix/harness.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { THREADS = 20, ROUNDS = 200, STACK = 16384 };

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".balign 4\n"
	".long 4, 4, 4\n"
	".asciz \"Go\\0\"\n"
	".asciz \"abc\"\n"
	".popsection\n");

static long kernel(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}

static void *carrier(void *arg)
{
	static __thread char stack[STACK];
	stack_t mine = { .ss_sp = stack, .ss_size = STACK }, now;
	long tid = kernel(SYS_gettid, 0, 0, 0);

	CHECK_EQ(kernel(SYS_sigaltstack, (long)&mine, 0, 0), 0);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 50 == (intptr_t)arg)
			usleep(1000);
		else
			sched_yield();
		CHECK_EQ(kernel(SYS_gettid, 0, 0, 0), tid);
		CHECK_EQ(kernel(SYS_sigaltstack, 0, (long)&now, 0), 0);
		CHECK(now.ss_sp == stack);
	}
	mine.ss_flags = SS_DISABLE;
	CHECK_EQ(kernel(SYS_sigaltstack, (long)&mine, 0, 0), 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&threads[i], NULL, carrier, (void *)i));
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_join(threads[i], NULL));
	return 0;
}
