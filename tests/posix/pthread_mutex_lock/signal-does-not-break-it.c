// SPDX-License-Identifier: BSD-2-Clause
// A signal handler runs in a thread that waits for a mutex, and the wait goes on: no EINTR.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int handled;
static atomic_bool got;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	got = true;
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pthread_mutex_lock(&lock));
	t = spawn(body, NULL);
	for (int i = 1; i <= 5; i++) {
		settle();
		CHECK_OK(pthread_kill(t, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	CHECK(!got);
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
	CHECK(got);
}
