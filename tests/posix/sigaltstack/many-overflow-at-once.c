// SPDX-License-Identifier: BSD-2-Clause
// Threads that overflow their stacks at once, beside others that compute: each has its own fault, at an address in its
// own guard area and on its own alternate stack, leaves by siglongjmp, and does so again; the others go on.
#include "../harness.h"
#include <setjmp.h>

enum { OVERFLOWING = 8, COMPUTING = 2, ROUNDS = 4, SIZE = 65536 };

struct one {
	pthread_t self;
	char *guard, *low, *alternate;
	sigjmp_buf back;
	int faults;
};

static __thread struct one *mine;
static pthread_barrier_t all_here;
static atomic_bool is_over;
static atomic_uint computed[COMPUTING];

static void handler(int sig, siginfo_t *info, void *ctx UNUSED)
{
	char here, *at = (char *)(uintptr_t)&here, *fault = info->si_addr;
	stack_t s;

	CHECK_EQ(sig, SIGSEGV);
	CHECK(pthread_equal(pthread_self(), mine->self));
	CHECK(fault >= mine->guard);
	CHECK(fault < mine->low);
	CHECK(at >= mine->alternate);
	CHECK(at < mine->alternate + SIZE);
	CHECK_OK(sigaltstack(NULL, &s));
	CHECK(s.ss_sp == mine->alternate);
	CHECK_EQ(s.ss_flags, SS_ONSTACK);
	mine->faults++;
	siglongjmp(mine->back, 1);
}

/* Each frame is less than a page, and writes to its lowest bytes: none goes past the guard. */
static int __attribute__((noinline)) eat(int depth)
{
	volatile char page[1024];

	page[0] = (char)depth;
	return depth < 0 ? 0 : eat(depth + 1) + page[0];
}

static void know_stack(struct one *me)
{
	pthread_attr_t a;
	void *low;
	size_t bytes, guard;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &low, &bytes));
	CHECK_OK(pthread_attr_getguardsize(&a, &guard));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK(guard > 0);
	me->low = low;
	me->guard = me->low - guard;
}

static void *overflows(void *arg UNUSED)
{
	struct one me = { .self = pthread_self(), .alternate = malloc(SIZE) };
	stack_t s = { .ss_sp = me.alternate, .ss_size = SIZE };

	mine = &me;
	know_stack(&me);
	CHECK_OK(sigaltstack(&s, NULL));
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&all_here);
		if (sigsetjmp(me.back, 1) == 0) {
			eat(1);
			CHECK(false);
		}
		CHECK_EQ(me.faults, i + 1);
		CHECK_OK(sigaltstack(NULL, &s));
		CHECK_EQ(s.ss_flags, 0);
	}
	s.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&s, NULL));
	free(me.alternate);
	return NULL;
}

static void *computes(void *arg)
{
	while (!is_over)
		computed[(intptr_t)arg]++;
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	pthread_t t[OVERFLOWING], others[COMPUTING];
	pthread_attr_t a;

	CHECK_OK(sigaction(SIGSEGV, &sa, NULL));
	CHECK_OK(pthread_barrier_init(&all_here, NULL, OVERFLOWING));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 256 * 1024));
	spawn_many(others, COMPUTING, computes);
	for (int i = 0; i < OVERFLOWING; i++)
		CHECK_OK(pthread_create(&t[i], i % 2 ? &a : NULL, overflows, NULL));
	join_many(t, OVERFLOWING);
	for (int i = 0; i < COMPUTING; i++) {
		unsigned before = computed[i];

		WAIT_FOR(computed[i] != before);
	}
	is_over = true;
	join_many(others, COMPUTING);
}
