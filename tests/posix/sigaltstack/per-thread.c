// SPDX-License-Identifier: BSD-2-Clause
// Each thread has its own alternate stack, none at first, and its handlers run there.
#include "../harness.h"

#define N 4
#define SIZE 65536

static __thread char *stack;
static __thread volatile int on_it;

static void handler(int sig UNUSED)
{
	char here;

	on_it = &here >= stack && &here < stack + SIZE;
}

static void *body(void *arg UNUSED)
{
	stack_t s, old;

	CHECK_OK(sigaltstack(NULL, &old));
	CHECK(old.ss_flags & SS_DISABLE);
	stack = malloc(SIZE);
	s = (stack_t){ .ss_sp = stack, .ss_size = SIZE };
	CHECK_OK(sigaltstack(&s, NULL));
	for (int i = 0; i < 20; i++) {
		on_it = 0;
		sched_yield();
		CHECK_OK(raise(SIGUSR1));
		CHECK(on_it);
		if (i % 5 == 0)
			sleep_ms(1);
	}
	CHECK_OK(sigaltstack(NULL, &old));
	CHECK(old.ss_sp == stack);
	CHECK_EQ(old.ss_size, SIZE);
	s.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&s, NULL));
	free(stack);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	on_signal(SIGUSR1, handler, SA_ONSTACK);
	spawn_many(t, N, body);
	join_many(t, N);
}
