// SPDX-License-Identifier: BSD-2-Clause
// raise returns 0 after the handler has run, in any thread.
#include "../harness.h"

static __thread int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	for (int i = 1; i <= 20; i++) {
		CHECK_OK(raise(SIGUSR1));
		CHECK_EQ(calls, i);
	}
	CHECK_ERRNO(raise(65), EINVAL);
	return arg;
}

int main(void)
{
	pthread_t t[4];

	on_signal(SIGUSR1, handler, 0);
	spawn_many(t, 4, body);
	join_many(t, 4);
}
