// SPDX-License-Identifier: BSD-2-Clause
// A process-shared semaphore wakes a waiter in another process.
#include "../harness.h"

static sem_t *s;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 300; i++) {
		CHECK_OK(sem_wait(&s[0]));
		CHECK_OK(sem_post(&s[1]));
	}
	return NULL;
}

static void *partner(void *arg UNUSED)
{
	for (int i = 0; i < 300; i++) {
		CHECK_OK(sem_post(&s[0]));
		CHECK_OK(sem_wait(&s[1]));
	}
	return NULL;
}

static void child(void)
{
	join(spawn(partner, NULL));
}

int main(void)
{
	pthread_t t;
	int status;

	s = shared_memory(2 * sizeof *s);
	CHECK_OK(sem_init(&s[0], 1, 0));
	CHECK_OK(sem_init(&s[1], 1, 0));
	t = spawn(body, NULL);
	status = in_child(child);
	join(t);
	CHECK_EQ(status, 0);
}
