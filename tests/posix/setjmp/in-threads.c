// SPDX-License-Identifier: BSD-2-Clause
// longjmp within a thread works over waits in other threads.
#include "../harness.h"
#include <setjmp.h>

static void *body(void *arg)
{
	jmp_buf env;
	volatile int n = 0;
	int rc = setjmp(env);

	n = n + 1;
	CHECK_EQ(rc, n - 1);
	sched_yield();
	if (rc < 20)
		longjmp(env, rc + 1);
	return arg;
}

int main(void)
{
	pthread_t t[6];

	spawn_many(t, 6, body);
	join_many(t, 6);
}
