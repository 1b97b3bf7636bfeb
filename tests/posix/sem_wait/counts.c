// SPDX-License-Identifier: BSD-2-Clause
// A semaphore lets as many through as its value, and wakes one waiter per post.
#include "../harness.h"

#define N 10

static sem_t sem;
static atomic_int through;

static void *body(void *arg UNUSED)
{
	CHECK_OK(sem_wait(&sem));
	through++;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(sem_init(&sem, 0, 3));
	spawn_many(t, N, body);
	WAIT_FOR(through == 3);
	settle();
	for (int i = 4; i <= N; i++) {
		CHECK_EQ(through, i - 1);
		CHECK_OK(sem_post(&sem));
		WAIT_FOR(through == i);
	}
	join_many(t, N);
	CHECK_OK(sem_destroy(&sem));
}
