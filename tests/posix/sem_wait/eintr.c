// SPDX-License-Identifier: BSD-2-Clause
// A handler without SA_RESTART makes sem_wait fail with EINTR; with SA_RESTART it goes on.
#include "../harness.h"

static sem_t s;
static atomic_int handled, interrupted;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	while (sem_wait(&s) == -1) {
		CHECK_EQ(errno, EINTR);
		interrupted++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	int before;

	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGUSR2, handler, SA_RESTART);
	CHECK_OK(sem_init(&s, 0, 0));
	t = spawn(body, NULL);
	while (interrupted == 0) {
		CHECK_OK(pthread_kill(t, SIGUSR1));
		sleep_ms(2);
	}
	settle();
	before = interrupted;
	handled = 0;
	for (int i = 1; i <= 3; i++) {
		CHECK_OK(pthread_kill(t, SIGUSR2));
		WAIT_FOR(handled == i);
		settle();
	}
	CHECK_EQ(interrupted, before);
	CHECK_OK(sem_post(&s));
	join(t);
}
