// SPDX-License-Identifier: BSD-2-Clause
// A thread may join one that waits to join it and has been cancelled: there is no deadlock, for that wait ends.
#include "../harness.h"

static pthread_t first;
static pthread_barrier_t both;
static _Atomic bool is_over;

static void *joins_first(void *arg UNUSED)
{
	pthread_barrier_wait(&both);
	pthread_join(first, NULL);
	return NULL;
}

static void *begins(void *arg)
{
	first = pthread_self();
	for (int round = 0; round < 20; round++) {
		pthread_t t = spawn(joins_first, NULL);

		pthread_barrier_wait(&both);
		if (round % 2)
			sleep_ms(5);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
	}
	is_over = true;
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_barrier_init(&both, NULL, 2));
	spawn(begins, NULL);
	WAIT_FOR(is_over);		/* nobody else may join it */
}
