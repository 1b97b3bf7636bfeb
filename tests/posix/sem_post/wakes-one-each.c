// SPDX-License-Identifier: BSD-2-Clause
// Each post lets exactly one waiter pass.
#include "../harness.h"

#define N 6

static sem_t s;
static atomic_int passed;

static void *body(void *arg)
{
	CHECK_OK(sem_wait(&s));
	passed++;
	return arg;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(sem_init(&s, 0, 0));
	spawn_many(t, N, body);
	for (int i = 1; i <= N; i++) {
		CHECK_OK(sem_post(&s));
		WAIT_FOR(passed == i);
		sleep_ms(2);
		CHECK_EQ(passed, i);
	}
	join_many(t, N);
}
