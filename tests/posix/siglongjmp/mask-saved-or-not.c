// SPDX-License-Identifier: BSD-2-Clause
// sigsetjmp with a nonzero argument saves the mask, which siglongjmp restores; with 0 it does not.
#include "../harness.h"

#include <setjmp.h>

static bool blocked(void)
{
	sigset_t s;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &s));
	return sigismember(&s, SIGUSR1);
}

static void *body(void *arg)
{
	sigjmp_buf b;

	if (sigsetjmp(b, 1) == 0) {
		block_signal(SIGUSR1);
		siglongjmp(b, 1);
	}
	CHECK(!blocked());
	if (sigsetjmp(b, 0) == 0) {
		block_signal(SIGUSR1);
		siglongjmp(b, 1);
	}
	CHECK(blocked());
	unblock_signal(SIGUSR1);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
