// SPDX-License-Identifier: BSD-2-Clause
// A handler may lock a mutex that nobody holds while its thread waits for another one.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int handled;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&other));
	CHECK_OK(pthread_mutex_unlock(&other));
	handled++;
}

static void *body(void *arg)
{
	waits = true;
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pthread_mutex_lock(&m));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	settle();
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
	CHECK_EQ(handled, 1);
}
