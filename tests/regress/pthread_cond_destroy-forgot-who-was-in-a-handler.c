// SPDX-License-Identifier: BSD-2-Clause
// Who ran a signal handler for long amid a wait, while its condition was broadcast, destroyed and made anew, took
// the new one for the old, and waited for ever.
#include "../posix/harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool waits, is_go;
static atomic_bool in_handler;

static void handle(int sig UNUSED)
{
	in_handler = true;
	sleep_ms(400);
}

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	waits = true;
	while (!is_go)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static bool waiter_waits(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	bool does = waits;

	CHECK_OK(pthread_mutex_unlock(&lock));
	return does;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handle, 0);
	t = spawn(body, NULL);
	WAIT_FOR(waiter_waits());
	CHECK_OK(pthread_kill(t, SIGUSR1));
	WAIT_FOR(in_handler);
	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = true;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_cond_destroy(&cond));
	memset(&cond, 0xff, sizeof(cond));
	CHECK_OK(pthread_cond_init(&cond, NULL));
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
}
