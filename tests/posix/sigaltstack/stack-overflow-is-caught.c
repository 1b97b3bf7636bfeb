// SPDX-License-Identifier: BSD-2-Clause
// A thread that overflows its stack gets SIGSEGV on its alternate stack and can leave by
// siglongjmp.
#include "../harness.h"
#include <setjmp.h>

#define SIZE 65536

static __thread sigjmp_buf back;
static void *volatile fault;

static void handler(int sig UNUSED, siginfo_t *info, void *ctx UNUSED)
{
	fault = info->si_addr;
	siglongjmp(back, 1);
}

static int __attribute__((noinline)) eat(int depth)
{
	volatile char page[1024];

	page[0] = (char)depth;
	return depth < 0 ? 0 : eat(depth + 1) + page[0];
}

static void *body(void *arg UNUSED)
{
	stack_t s = { .ss_sp = malloc(SIZE), .ss_size = SIZE };
	pthread_attr_t a;
	void *base;
	size_t size;

	CHECK_OK(sigaltstack(&s, NULL));
	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &base, &size));
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			eat(1);
			CHECK(false);
		}
		CHECK((char *)fault < (char *)base + 8192);
		CHECK((char *)fault > (char *)base - (1 << 20));
	}
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(sigaction(SIGSEGV, &sa, NULL));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 256 * 1024));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	join(t);
}
