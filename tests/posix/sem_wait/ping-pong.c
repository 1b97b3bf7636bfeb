// SPDX-License-Identifier: BSD-2-Clause
// Two threads hand a turn to and fro by two semaphores.
#include "../harness.h"

static sem_t a, b;
static int turns;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 2000; i++) {
		CHECK_OK(sem_wait(&a));
		CHECK_EQ(turns++, 2 * i);
		CHECK_OK(sem_post(&b));
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(sem_init(&a, 0, 0));
	CHECK_OK(sem_init(&b, 0, 0));
	t = spawn(body, NULL);
	for (int i = 0; i < 2000; i++) {
		CHECK_OK(sem_post(&a));
		CHECK_OK(sem_wait(&b));
		CHECK_EQ(turns++, 2 * i + 1);
	}
	join(t);
}
