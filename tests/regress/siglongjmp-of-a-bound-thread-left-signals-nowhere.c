// SPDX-License-Identifier: BSD-2-Clause
// Whoever left a handler by siglongjmp, on a kernel thread of its own, was held to block the signal still: the next one for
// the process reached nobody.
#include "../posix/harness.h"

#include <setjmp.h>

enum { TIMES = 5 };

static sigjmp_buf back;
static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
	siglongjmp(back, 1);
}

static void *sends(void *arg)
{
	block_signal(SIGRTMIN);
	for (int i = 1; i <= TIMES; i++) {
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }));
		WAIT_FOR(calls == i);
	}
	_exit(0);
	return arg;
}

int main(void)
{
	on_signal(SIGRTMIN, handler, 0);
	if (sigsetjmp(back, 1) == 0)
		spawn(sends, NULL);
	for (;;)
		pause();
}
