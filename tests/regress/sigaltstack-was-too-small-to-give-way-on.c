// SPDX-License-Identifier: BSD-2-Clause
// Threads that compute on stacks of their own making, with alternate signal stacks as large as sysconf(_SC_SIGSTKSZ) says
// (Poly/ML's), later those with smaller ones (OCaml's), were never made to give way: where there were as many of them as
// processors, nobody else ran.
#include "../posix/harness.h"

#include <ucontext.h>

enum { THREADS = 8, STACK = 256 << 10, SMALL = 8 << 10 };

static atomic_bool over;
static atomic_int handled;

static void handler(int sig)
{
	(void)sig;
	handled++;
}

static void compute(void)
{
	for (volatile unsigned long i = 0; !over; i++)
		;
}

static void *body(void *arg)
{
	static __thread ucontext_t here, there;
	static atomic_int begun;
#ifdef _SC_SIGSTKSZ
	size_t usual = (size_t)sysconf(_SC_SIGSTKSZ);
#else
	size_t usual = 16 << 10;
#endif
	size_t bytes = begun++ % 2 ? usual : SMALL;
	stack_t alt = { .ss_sp = malloc(bytes), .ss_size = bytes }, none = { .ss_flags = SS_DISABLE };
	void *stack = malloc(STACK);

	CHECK_EQ(sigaltstack(&alt, NULL), 0);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, compute, 0);
	swapcontext(&here, &there);
	CHECK_EQ(sigaltstack(&none, NULL), 0);
	free(stack);
	free(alt.ss_sp);
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
	pthread_t t[THREADS];

	sigaction(SIGUSR1, &act, NULL);
	spawn_many(t, THREADS, body);
	for (int i = 0; i < 50; i++) {
		sleep_ms(2);
		CHECK_EQ(pthread_kill(t[i % THREADS], SIGUSR1), 0);
	}
	WAIT_FOR(handled > 0);
	over = true;
	join_many(t, THREADS);
	return 0;
}
