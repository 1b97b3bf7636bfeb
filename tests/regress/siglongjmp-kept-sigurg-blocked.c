// SPDX-License-Identifier: BSD-2-Clause
// SIGURG, which the runtime knows for its own, stayed blocked for who left its handler by siglongjmp.
#include "../posix/harness.h"

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
			raise(SIGURG);
		CHECK_EQ(calls, i);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	on_signal(SIGURG, handler, 0);
	spawn_many(t, 3, body);
	join_many(t, 3);
}
