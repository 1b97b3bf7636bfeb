// SPDX-License-Identifier: BSD-2-Clause
// sigsetjmp(env, 1) and siglongjmp restore the thread's mask; setjmp and longjmp leave it.
#include "../harness.h"
#include <setjmp.h>

static bool is_blocked(int sig)
{
	sigset_t now;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	return sigismember(&now, sig) == 1;
}

static void *body(void *arg UNUSED)
{
	sigjmp_buf env;
	jmp_buf plain;
	volatile int n = 0;

	if (sigsetjmp(env, 1) == 0) {
		block_signal(SIGUSR1);
		siglongjmp(env, 1);
	}
	CHECK(!is_blocked(SIGUSR1));
	if (setjmp(plain) == 0) {
		block_signal(SIGUSR2);
		longjmp(plain, 1);
	}
	CHECK(is_blocked(SIGUSR2));
	if (sigsetjmp(env, 0) < 3) {
		n = n + 1;
		siglongjmp(env, n);
	}
	CHECK_EQ(n, 3);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
	CHECK(!is_blocked(SIGUSR2));
}
