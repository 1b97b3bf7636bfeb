// SPDX-License-Identifier: BSD-2-Clause
// Waits with deadlines of zero to three milliseconds race with the signals that satisfy them: a
// token given is taken by exactly one, a timeout takes none.
#include "stress.h"

#define N 16
#define GIVEN 15000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static sem_t sem;
static int tokens, taken, timeouts;
static atomic_int from_sem;
static atomic_bool closing;

static void by_cond(uint64_t *r)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, (long)pick(r, 4));
	int rc = 0;

	pthread_mutex_lock(&lock);
	while (tokens == 0 && rc == 0)
		rc = pthread_cond_timedwait(&cond, &lock, &at);
	CHECK(rc == 0 || rc == ETIMEDOUT);
	if (tokens > 0) {
		tokens--;
		taken++;
	} else {
		timeouts++;
	}
	pthread_mutex_unlock(&lock);
}

static void by_sem(uint64_t *r)
{
	struct timespec at = in_ms(CLOCK_REALTIME, (long)pick(r, 4));

	if (sem_timedwait(&sem, &at) == 0)
		from_sem++;
	else
		CHECK_EQ(errno, ETIMEDOUT);
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	while (!closing) {
		if (pick(&r, 2))
			by_cond(&r);
		else
			by_sem(&r);
	}
	return NULL;
}

static bool all_taken(void)
{
	bool done;

	pthread_mutex_lock(&lock);
	done = tokens == 0 && taken == GIVEN;
	pthread_mutex_unlock(&lock);
	return done && from_sem == GIVEN;
}

int main(int argc, char **argv)
{
	pthread_condattr_t a;
	pthread_t t[N];
	uint64_t r;

	stress_seed(argc, argv);
	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
	CHECK_OK(pthread_cond_init(&cond, &a));
	CHECK_OK(sem_init(&sem, 0, 0));
	spawn_many(t, N, body);
	r = seed_for(-1);
	for (int i = 0; i < GIVEN; i++) {
		pthread_mutex_lock(&lock);
		tokens++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
		CHECK_OK(sem_post(&sem));
		if (pick(&r, 4) == 0)
			dawdle(&r);
	}
	WAIT_FOR(all_taken());
	closing = true;
	join_many(t, N);
	printf("%d timeouts\n", timeouts);
}
