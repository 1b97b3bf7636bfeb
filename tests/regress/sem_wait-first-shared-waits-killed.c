// SPDX-License-Identifier: BSD-2-Clause
// Several threads are the first to wait for a process-shared semaphore, at the same time, while others
// change signal actions: the one that came second trapped before the trap's handler was installed.
#include "../posix/harness.h"

enum { N = 6, ROUNDS = 20 };

static sem_t *sem;
static atomic_int ready;
static atomic_bool over;

static void handler(int sig UNUSED)
{
}

static void *waits(void *arg UNUSED)
{
	ready++;
	while (ready < N)
		sched_yield();
	CHECK_OK(sem_wait(sem));
	return NULL;
}

static void *changes(void *arg UNUSED)
{
	while (!over)
		on_signal(SIGUSR1, handler, 0);
	return NULL;
}

static void first_use(void)
{
	pthread_t t[N], u[2];

	spawn_many(u, 2, changes);
	spawn_many(t, N, waits);
	WAIT_FOR(ready == N);
	for (int i = 0; i < N; i++)
		CHECK_OK(sem_post(sem));
	join_many(t, N);
	over = true;
	join_many(u, 2);
}

int main(void)
{
	sem = shared_memory(sizeof *sem);
	CHECK_OK(sem_init(sem, 1, 0));
	for (int i = 0; i < ROUNDS; i++)
		CHECK_EQ(in_child(first_use), 0);
}
