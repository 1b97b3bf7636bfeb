// SPDX-License-Identifier: BSD-2-Clause
// A handler that is not for the alternate stack runs on the stack that the program gave the thread, also if the thread
// has an alternate stack and was kept from its processor.
#include "../posix/harness.h"
#include <sys/mman.h>

enum { THREADS = 6, ROUNDS = 30, STACK = 1 << 20, ALT = 1 << 16 };

static atomic_bool stop;
static atomic_int begun, runs, wrong;
static __thread char *low;

static void looks(int sig)
{
	char here;

	(void)sig;
	runs++;
	if (&here < low || &here >= low + STACK)
		wrong++;
}

static void *computes(void *stack)
{
	stack_t alt = { .ss_sp = malloc(ALT), .ss_size = ALT };

	low = stack;
	CHECK_OK(sigaltstack(&alt, NULL));
	begun++;
	while (!stop)
		;
	alt.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&alt, NULL));
	free(alt.ss_sp);
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = looks, .sa_flags = SA_RESTART };
	pthread_t t[THREADS];

	CHECK_OK(sigaction(SIGUSR2, &sa, NULL));
	for (int i = 0; i < THREADS; i++) {
		char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_attr_t attr;

		CHECK(stack != MAP_FAILED);
		CHECK_OK(pthread_attr_init(&attr));
		CHECK_OK(pthread_attr_setstack(&attr, stack, STACK));
		CHECK_OK(pthread_create(&t[i], &attr, computes, stack));
	}
	while (begun < THREADS)
		usleep(1000);
	for (int round = 0; round < ROUNDS; round++) {
		usleep(5000);
		for (int i = 0; i < THREADS; i++)
			CHECK_OK(pthread_kill(t[i], SIGUSR2));
	}
	stop = true;
	join_many(t, THREADS);
	CHECK(runs > 0);
	CHECK_EQ(wrong, 0);
}
