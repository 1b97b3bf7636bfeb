// SPDX-License-Identifier: BSD-2-Clause
// Many threads in many kinds of waits can all be cancelled.
#include "../cancel.h"

#define N 60

static int p[2];
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int here, cleaned;

static void unlock(void *arg UNUSED)
{
	pthread_mutex_unlock(&lock);
}

static void clean(void *arg UNUSED)
{
	cleaned++;
}

static void wait_by_kind(int kind)
{
	char c;

	if (kind == 0)
		CHECK(read(p[0], &c, 1) != -1);
	else if (kind == 1)
		sem_wait(&sem);
	else if (kind == 2)
		sleep(WATCHDOG_SECONDS);
	else if (kind == 3)
		poll(&(struct pollfd){ .fd = p[0], .events = POLLIN }, 1, -1);
	else if (kind == 4)
		pause();
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(0);
}

static void *body(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	here++;
	wait_by_kind((int)(intptr_t)arg % 6);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	spawn_many(t, N, body);
	WAIT_FOR(here == N);
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < N; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
	CHECK_EQ(cleaned, N);
}
