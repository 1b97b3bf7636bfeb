// SPDX-License-Identifier: BSD-2-Clause
// The older call for an alternate stack: each thread has its own, none at first, and its handlers run there.
#include "../harness.h"

/* The header calls it deprecated, and has it for old standards only. */
struct stack {
	void *sp;
	int on_stack;
};
int old_sigstack(struct stack *ss, struct stack *old) __asm__("sigstack");

#define N 4
/* It says no size: libc takes the address for that, so this much lies behind the address, and the top is twice that. */
#define LOWEST (64ul << 20)

static __thread char *stack;
static __thread volatile int on_it, is_said;

static void handler(int sig UNUSED)
{
	struct stack now;
	char here;

	on_it = &here >= stack && (size_t)(&here - stack) < (uintptr_t)stack;
	is_said = old_sigstack(NULL, &now) == 0 && now.sp == stack && now.on_stack;
}

/* What is used of it are the pages at its top; each is further up than the one before ends. */
static char *map_stack(int number)
{
	char *at = (char *)(LOWEST + LOWEST * (unsigned)number / 8), *top = at + (uintptr_t)at - 65536;

	if (mmap(top, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != top)
		skip("no memory at low addresses");
	return at;
}

static void *body(void *arg)
{
	struct stack s = { .sp = map_stack((int)(intptr_t)arg) }, old;

	CHECK_OK(old_sigstack(NULL, &old));
	CHECK(old.sp == NULL && !old.on_stack);
	CHECK_OK(old_sigstack(&s, &old));
	CHECK(old.sp == NULL);
	stack = s.sp;
	for (int i = 0; i < 20; i++) {
		on_it = is_said = 0;
		sched_yield();
		CHECK_OK(raise(SIGUSR1));
		CHECK(on_it);
		CHECK(is_said);
		if (i % 5 == 0)
			sleep_ms(1);
	}
	CHECK_OK(old_sigstack(NULL, &old));
	CHECK(old.sp == stack && !old.on_stack);
	stack_t off = { .ss_flags = SS_DISABLE }, was;

	CHECK_OK(sigaltstack(&off, &was));	/* the two are one */
	CHECK(was.ss_sp == stack && was.ss_size == (uintptr_t)stack);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	on_signal(SIGUSR1, handler, SA_ONSTACK);
	spawn_many(t, N, body);
	join_many(t, N);
}
