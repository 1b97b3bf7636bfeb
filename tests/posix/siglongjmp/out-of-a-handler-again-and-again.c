// SPDX-License-Identifier: BSD-2-Clause
// siglongjmp out of a handler unblocks its signal each time; also SIGURG, by which the runtime tells its threads things.
#include "../harness.h"

#include <setjmp.h>

static __thread sigjmp_buf back;
static __thread int calls;

static void handler(int sig UNUSED)
{
	calls++;
	siglongjmp(back, 1);
}

static void jumps(int sig)
{
	calls = 0;
	for (volatile int i = 1; i <= 50; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(sig);
		CHECK_EQ(calls, i);
	}
}

static void *body(void *arg)
{
	jumps(SIGUSR1);
	jumps(SIGURG);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGURG, handler, 0);
	spawn_many(t, 3, body);
	join_many(t, 3);
}
