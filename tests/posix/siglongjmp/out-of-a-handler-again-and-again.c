// SPDX-License-Identifier: BSD-2-Clause
// siglongjmp out of a handler unblocks its signal each time.
#include "../harness.h"

#include <setjmp.h>

static __thread sigjmp_buf back;
static __thread int calls;

static void handler(int sig UNUSED)
{
	calls++;
	siglongjmp(back, 1);
}

static void *body(void *arg)
{
	for (volatile int i = 1; i <= 50; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		CHECK_EQ(calls, i);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	on_signal(SIGUSR1, handler, 0);
	spawn_many(t, 3, body);
	join_many(t, 3);
}
