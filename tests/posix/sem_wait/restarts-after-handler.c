// SPDX-License-Identifier: BSD-2-Clause
// A handler with SA_RESTART that runs during sem_wait does not end it.
#include "../harness.h"

static sem_t s;
static atomic_int handled;
static atomic_bool waits, over;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	waits = true;
	CHECK_OK(sem_wait(&s));
	CHECK(over);
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(sem_init(&s, 0, 0));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	for (int i = 1; i <= 3; i++) {
		settle();
		CHECK_OK(pthread_kill(t, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	over = true;
	CHECK_OK(sem_post(&s));
	join(t);
}
