// SPDX-License-Identifier: BSD-2-Clause
// A handler that interrupts a computing thread sees that code's registers and mask, and what it changes comes into
// force, also where the thread was kept from its processor when the signal was sent.
#include "../posix/harness.h"
#include <ucontext.h>

#ifndef __x86_64__
int main(void)
{
	skip("for x86-64");
}
#else

enum { THREADS = 6 };

extern char loop_begin[], loop_end[];
static atomic_int elsewhere;

static void ends_the_loop(int sig, siginfo_t *info, void *ctx)
{
	ucontext_t *uc = ctx;
	char *pc = (char *)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig, (void)info;
	if (pc < loop_begin || pc >= loop_end)
		elsewhere++;
	else
		uc->uc_mcontext.gregs[REG_RBX] = 1;
	sigaddset(&uc->uc_sigmask, SIGUSR1);
}

__attribute__((noinline)) static void compute(atomic_int *tell)
{
	__asm__ volatile("xor %%ebx, %%ebx\n"
			 "movl $1, (%0)\n"
			 ".globl loop_begin, loop_end\n"
			 "loop_begin: pause\n"
			 "test %%rbx, %%rbx\n"
			 "jz loop_begin\n"
			 "loop_end:\n" : : "r"(tell) : "rbx", "cc", "memory");
}

static void *computes(void *tell)
{
	sigset_t mask;

	compute(tell);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	CHECK(sigismember(&mask, SIGUSR1));
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = ends_the_loop, .sa_flags = SA_SIGINFO };
	static atomic_int begun[THREADS];
	pthread_t t[THREADS];

	CHECK_OK(sigaction(SIGUSR2, &sa, NULL));
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(computes, &begun[i]);
	for (int i = 0; i < THREADS; i++)
		while (!begun[i])
			usleep(1000);
	usleep(50000);
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_kill(t[i], SIGUSR2));
	for (int i = 0; i < THREADS && !elsewhere; i++)
		while (!elsewhere && pthread_tryjoin_np(t[i], NULL))
			usleep(1000);
	CHECK_EQ(elsewhere, 0);
	_exit(0);
}
#endif
