// SPDX-License-Identifier: BSD-2-Clause
// A handler runs in a thread parked in pthread_cond_wait, on that thread, and the wait goes on.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool go;
static atomic_int handled, wrong;
static pthread_t waiter;

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), waiter))
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	while (!go)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	waiter = spawn(body, NULL);
	for (int i = 1; i <= 5; i++) {
		settle();
		CHECK_OK(pthread_kill(waiter, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	pthread_mutex_lock(&lock);
	go = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	join(waiter);
	CHECK_EQ(wrong, 0);
}
