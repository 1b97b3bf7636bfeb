// SPDX-License-Identifier: BSD-2-Clause
// pthread_kill or raise to oneself: the handler has run when the call returns.
#include "../harness.h"

static __thread volatile int mine;

static void handler(int sig UNUSED)
{
	mine++;
}

static void *body(void *arg UNUSED)
{
	for (int i = 1; i <= 50; i++) {
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		CHECK_EQ(mine, 2 * i - 1);
		CHECK_OK(raise(SIGUSR1));
		CHECK_EQ(mine, 2 * i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	on_signal(SIGUSR1, handler, 0);
	spawn_many(t, 4, body);
	join_many(t, 4);
	CHECK_EQ(mine, 0);
}
