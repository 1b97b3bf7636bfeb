// SPDX-License-Identifier: BSD-2-Clause
// A semaphore of value 1 excludes, whoever posts it.
#include "../harness.h"

static sem_t s;
static volatile int inside, count;

static void *body(void *arg)
{
	for (int i = 0; i < 200; i++) {
		CHECK_OK(sem_wait(&s));
		CHECK_EQ(inside, 0);
		inside = 1;
		if (i % 20 == 0)
			sched_yield();
		count = count + 1;
		inside = 0;
		CHECK_OK(sem_post(&s));
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	CHECK_OK(sem_init(&s, 0, 1));
	spawn_many(t, 4, body);
	join_many(t, 4);
	CHECK_EQ(count, 800);
}
