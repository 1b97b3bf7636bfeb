// SPDX-License-Identifier: BSD-2-Clause
// SIGALRM from alarm reaches the process though all its threads wait on each other.
#define NO_WATCHDOG
#include "../harness.h"

static atomic_int handled;
static sem_t never;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	while (sem_wait(&never) == -1)
		CHECK_EQ(errno, EINTR);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	on_signal(SIGALRM, handler, SA_RESTART);
	CHECK_OK(sem_init(&never, 0, 0));
	spawn_many(t, 4, body);
	CHECK_EQ(alarm(1), 0);
	WAIT_FOR(handled == 1);
	for (int i = 0; i < 4; i++)
		CHECK_OK(sem_post(&never));
	join_many(t, 4);
}
