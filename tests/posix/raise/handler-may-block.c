// SPDX-License-Identifier: BSD-2-Clause
// A handler that runs in a thread may wait on a semaphore and read a pipe (both async-signal-safe
// or harmless here): others run meanwhile.
#include "../harness.h"

static sem_t reached;
static int p[2];
static atomic_int got;

static void handler(int sig UNUSED)
{
	char c;

	sem_post(&reached);
	if (read(p[0], &c, 1) == 1)
		got++;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(raise(SIGUSR1));
	CHECK_EQ(got, 1);
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(sem_init(&reached, 0, 0));
	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	CHECK_OK(sem_wait(&reached));
	settle();
	CHECK_EQ(got, 0);
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(t);
}
