// SPDX-License-Identifier: BSD-2-Clause
// Threads that sleep until different times, 50 ms apart, wake in the order of these, in whichever call and whoever
// began first.  A machine that is busy elsewhere may let one that is awake wait for longer than that: so not each
// time, but once.
#include "../harness.h"

enum { N = 10, STEP_MS = 50, BEGIN_MS = 100, TRIES = 12 };

static struct timespec monotonic[N], realtime[N];
static pthread_mutex_t lock[N];
static pthread_cond_t cond[N];
static sem_t sem;
static atomic_int woken;
static int order[N];

static int left_ms(int turn)
{
	int64_t end = (int64_t)monotonic[turn].tv_sec * 1000000000 + monotonic[turn].tv_nsec;
	int64_t ms = (end - (int64_t)now_ns()) / 1000000;

	return ms < 0 ? 0 : (int)ms;
}

static void by_nanosleep(int turn)
{
	sleep_ms(left_ms(turn));
}

static void by_clock_nanosleep(int turn)
{
	CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &monotonic[turn], NULL));
}

static void by_cond_timedwait(int turn)
{
	CHECK_OK(pthread_mutex_lock(&lock[turn]));
	while (pthread_cond_timedwait(&cond[turn], &lock[turn], &realtime[turn]) == 0)
		;
	CHECK_OK(pthread_mutex_unlock(&lock[turn]));
}

static void by_sem_timedwait(int turn)
{
	CHECK_ERRNO(sem_timedwait(&sem, &realtime[turn]), ETIMEDOUT);
}

static void by_poll(int turn)
{
	CHECK_EQ(poll(NULL, 0, left_ms(turn)), 0);
}

static void *body(void *arg)
{
	static void (*const sleep_by[])(int) = {
		by_nanosleep, by_cond_timedwait, by_clock_nanosleep, by_poll, by_sem_timedwait,
	};
	int turn = (int)(intptr_t)arg;

	sleep_by[turn % 5](turn);
	order[woken++] = turn;
	return NULL;
}

static bool wake_in_order(void)
{
	static const int begin[N] = { 7, 2, 9, 0, 4, 8, 1, 5, 3, 6 };
	pthread_t t[N];

	woken = 0;
	for (int i = 0; i < N; i++) {
		monotonic[i] = in_ms(CLOCK_MONOTONIC, BEGIN_MS + i * STEP_MS);
		realtime[i] = in_ms(CLOCK_REALTIME, BEGIN_MS + i * STEP_MS);
	}
	for (int i = 0; i < N; i++)
		t[i] = spawn(body, (void *)(intptr_t)begin[i]);
	join_many(t, N);
	CHECK_EQ(woken, N);
	for (int i = 0; i < N; i++)
		if (order[i] != i)
			return false;
	return true;
}

int main(void)
{
	int tries = 1;

	CHECK_OK(sem_init(&sem, 0, 0));
	for (int i = 0; i < N; i++) {
		CHECK_OK(pthread_mutex_init(&lock[i], NULL));
		CHECK_OK(pthread_cond_init(&cond[i], NULL));
	}
	while (!wake_in_order())
		CHECK(tries++ < TRIES);
}
