// SPDX-License-Identifier: BSD-2-Clause
// errno of an interrupted thread is its own: a handler that changes and restores it, or one in
// another thread, does no harm.
#include "../harness.h"

static void handler(int sig UNUSED)
{
	int saved = errno;

	close(-1);
	errno = saved;
}

static atomic_bool stop;

static void *body(void *arg)
{
	while (!stop) {
		errno = 1000 + (int)(intptr_t)arg;
		for (volatile int i = 0; i < 2000; i++)
			;
		CHECK_EQ(errno, 1000 + (intptr_t)arg);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	on_signal(SIGUSR1, handler, SA_RESTART);
	spawn_many(t, 3, body);
	for (int i = 0; i < 60; i++) {
		CHECK_OK(pthread_kill(t[i % 3], SIGUSR1));
		sleep_ms(1);
	}
	stop = true;
	join_many(t, 3);
}
