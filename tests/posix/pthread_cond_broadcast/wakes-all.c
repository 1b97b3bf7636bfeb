// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_broadcast wakes every thread that waits, round after round.
#include "../harness.h"

#define N 20
#define ROUNDS 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, all_here = PTHREAD_COND_INITIALIZER;
static int round_, here;

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	for (int r = 0; r < ROUNDS; r++) {
		if (++here == N)
			pthread_cond_signal(&all_here);
		while (round_ == r)
			pthread_cond_wait(&cond, &lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	pthread_mutex_lock(&lock);
	for (int r = 0; r < ROUNDS; r++) {
		while (here < N)
			pthread_cond_wait(&all_here, &lock);
		here = 0;
		round_++;
		CHECK_OK(pthread_cond_broadcast(&cond));
	}
	pthread_mutex_unlock(&lock);
	join_many(t, N);
}
