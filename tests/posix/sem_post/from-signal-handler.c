// SPDX-License-Identifier: BSD-2-Clause
// sem_post is async-signal-safe: a handler wakes a thread that waits.
#include "../harness.h"

static sem_t s;

static void handler(int sig UNUSED)
{
	sem_post(&s);
}

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 20; i++)
		while (sem_wait(&s) == -1)
			CHECK_EQ(errno, EINTR);
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(sem_init(&s, 0, 0));
	t = spawn(body, NULL);
	for (int i = 0; i < 20; i++) {
		CHECK_OK(raise(SIGUSR1));
		if (i % 4 == 0)
			sleep_ms(1);
	}
	join(t);
}
