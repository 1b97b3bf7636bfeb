// SPDX-License-Identifier: BSD-2-Clause
// SIGSEGV and SIGFPE are handled by the thread that caused them, with the address; siglongjmp
// leaves.
#include "../harness.h"
#include <setjmp.h>

#define N 4

static __thread sigjmp_buf back;
static __thread void *volatile fault;
static __thread volatile int seen;

static void handler(int sig, siginfo_t *info, void *ctx UNUSED)
{
	fault = info->si_addr;
	seen = sig;
	siglongjmp(back, 1);
}

static void *body(void *arg)
{
	char *bad = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = bad + (intptr_t)arg * 8;

	for (int i = 0; i < 20; i++) {
		if (sigsetjmp(back, 1) == 0) {
			*(volatile char *)at = 1;
			CHECK(false);
		}
		CHECK_EQ(seen, SIGSEGV);
		CHECK(fault == at);
		sched_yield();
	}
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t t[N];

	CHECK_OK(sigaction(SIGSEGV, &sa, NULL));
	spawn_many(t, N, body);
	join_many(t, N);
}
