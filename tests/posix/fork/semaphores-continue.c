// SPDX-License-Identifier: BSD-2-Clause
// An unnamed process-shared semaphore works between the threads of parent and child.
#include "../harness.h"

static sem_t *s;

static void *waits(void *arg)
{
	for (int i = 0; i < 10; i++)
		CHECK_OK(sem_wait(&s[0]));
	CHECK_OK(sem_post(&s[1]));
	return arg;
}

static void *posts(void *arg)
{
	for (int i = 0; i < 10; i++)
		CHECK_OK(sem_post(&s[0]));
	CHECK_OK(sem_wait(&s[1]));
	return arg;
}

static void child(void)
{
	join(spawn(posts, NULL));
}

int main(void)
{
	pthread_t t;

	s = shared_memory(2 * sizeof *s);
	CHECK_OK(sem_init(&s[0], 1, 0));
	CHECK_OK(sem_init(&s[1], 1, 0));
	t = spawn(waits, NULL);
	CHECK_EQ(in_child(child), 0);
	join(t);
}
