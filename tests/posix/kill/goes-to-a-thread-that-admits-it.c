// SPDX-License-Identifier: BSD-2-Clause
// A process-directed signal is handled by a thread that does not block it, wherever that thread
// waits.
#include "../harness.h"

static pthread_t admits;
static atomic_int handled, wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;
static bool go;

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), admits))
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	unblock_signal(SIGUSR1);
	pthread_mutex_lock(&lock);
	ready = true;
	while (!go)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *blocks(void *arg UNUSED)
{
	while (handled < 5)
		sleep_ms(1);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	admits = spawn(body, NULL);
	spawn_many(t, 4, blocks);
	WAIT_FOR(ready);
	for (int i = 1; i <= 5; i++) {
		settle();
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(handled == i);
	}
	join_many(t, 4);
	pthread_mutex_lock(&lock);
	go = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	join(admits);
	CHECK_EQ(wrong, 0);
}
