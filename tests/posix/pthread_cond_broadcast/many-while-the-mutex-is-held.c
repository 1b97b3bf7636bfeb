// SPDX-License-Identifier: BSD-2-Clause
// Many who are woken while the mutex is held have been woken, whatever happens to them before they get it.
#include "../harness.h"

#define N 40

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, is_go, passed;
static atomic_int handled;
static struct timespec limit;

static void handle(int sig UNUSED)
{
	handled++;
}

static void release(void *arg)
{
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);	/* it is ours */
	passed++;
	CHECK_OK(pthread_mutex_unlock(arg));
}

/* arg: with a limit. */
static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(release, &lock);
	waiting++;
	while (!is_go)
		CHECK_OK(arg ? pthread_cond_timedwait(&cond, &lock, &limit) : pthread_cond_wait(&cond, &lock));
	pthread_testcancel();
	pthread_cleanup_pop(1);
	return arg;
}

static int count(int *n)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	int now = *n;

	CHECK_OK(pthread_mutex_unlock(&lock));
	return now;
}

int main(void)
{
	uint64_t limit_ns;
	pthread_t t[N];
	void *value;

	on_signal(SIGUSR1, handle, 0);
	limit = in_ms(CLOCK_REALTIME, 3000);
	limit_ns = (uint64_t)limit.tv_sec * 1000000000 + (uint64_t)limit.tv_nsec;
	for (long i = 0; i < N; i++)
		CHECK_OK(pthread_create(&t[i], NULL, body, (void *)(i & 1)));
	WAIT_FOR(count(&waiting) == N);

	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	if (now_on(CLOCK_REALTIME) >= limit_ns)
		skip("so slow that the limit passed too early");
	CHECK_OK(pthread_cond_destroy(&cond));
	for (int i = 0; i < 4; i++)
		CHECK_OK(pthread_kill(t[i], SIGUSR1));
	WAIT_FOR(handled == 4);
	CHECK_OK(pthread_cancel(t[4]));
	CHECK_OK(pthread_cancel(t[5]));
	CHECK_EQ(passed, 0);
	while (now_on(CLOCK_REALTIME) <= limit_ns)
		sleep_ms(20);
	CHECK_EQ(passed, 0);
	CHECK_OK(pthread_mutex_unlock(&lock));
	for (long i = 0; i < N; i++) {
		CHECK_OK(pthread_join(t[i], &value));
		CHECK(value == (i == 4 || i == 5 ? PTHREAD_CANCELED : (void *)(i & 1)));
	}
	CHECK_EQ(passed, N);
}
