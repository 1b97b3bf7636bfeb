// SPDX-License-Identifier: BSD-2-Clause
// All threads wait until the count is reached; exactly one is told PTHREAD_BARRIER_SERIAL_THREAD,
// each round.
#include "../harness.h"

#define N 7
#define ROUNDS 60

static pthread_barrier_t barrier;
static atomic_int serial, arrived;

static void *body(void *arg UNUSED)
{
	for (int r = 1; r <= ROUNDS; r++) {
		int rc;

		arrived++;
		rc = pthread_barrier_wait(&barrier);
		CHECK(arrived >= r * N);
		if (rc == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		else
			CHECK_EQ(rc, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pthread_barrier_init(&barrier, NULL, N));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(serial, ROUNDS);
	CHECK_OK(pthread_barrier_destroy(&barrier));
}
