// SPDX-License-Identifier: BSD-2-Clause
// The stack that pthread_getattr_np tells is made of whole pages, right above the guard, where an overflow
// is noticed (Rust looks there); the lowest of them can be protected, and then it is noticed there (so does Java).
#include "../posix/harness.h"

#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf before;
static char *volatile hit;

static void on_fault(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	hit = info->si_addr;
	siglongjmp(before, 1);
}

static int deeper(int n)
{
	volatile char here[256];

	here[0] = (char)n;
	return n ? deeper(n - 1) + here[0] : 0;
}

static char *overflow(void)
{
	if (!sigsetjmp(before, 1))
		deeper(1 << 20);
	return hit;
}

static void *body(void *arg)
{
	static char aside[65536];
	pthread_attr_t a;
	char *base, *at;
	size_t size, guard;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, (void **)&base, &size));
	CHECK_EQ(size, 256 * 1024);
	CHECK_EQ((uintptr_t)base % 4096, 0);
	CHECK((char *)&a >= base && (char *)(&a + 1) <= base + size);
	CHECK_OK(pthread_attr_getguardsize(&a, &guard));
	CHECK_OK(sigaltstack(&(stack_t){ .ss_sp = aside, .ss_size = sizeof(aside) }, NULL));
	CHECK_OK(sigaction(SIGSEGV, &(struct sigaction){ .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			   NULL));
	at = overflow();
	CHECK(at >= base - guard && at < base);
	CHECK_OK(mprotect(base, 4096, PROT_NONE));
	at = overflow();
	CHECK(at >= base && at < base + 4096);
	CHECK_OK(mprotect(base, 4096, PROT_READ | PROT_WRITE));
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 256 * 1024));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	join(t);
}
