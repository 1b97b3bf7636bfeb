// SPDX-License-Identifier: BSD-2-Clause
// A handler that ends a thread, which waits for another's end, by pthread_exit or by cancelling it, leaves that other one to be
// joined by whoever wants to.
#include "../posix/harness.h"

enum call { JOINS, JOINS_UNTIL, JOINS_BY_CLOCK, CALLS };

static enum call call;
static bool cancels_itself;
static pthread_t target;
static atomic_bool is_waiting, is_joined;

static void *waits(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void leaves(int sig)
{
	(void)sig;
	if (cancels_itself) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	pthread_exit(NULL);
}

static void join_it(void *arg)
{
	void *result = NULL;

	(void)arg;
	CHECK_OK(pthread_cancel(target));
	CHECK_OK(pthread_join(target, &result));
	CHECK(result == PTHREAD_CANCELED);
	is_joined = true;
}

static void *joins(void *arg)
{
	struct timespec late;

	(void)arg;
	pthread_cleanup_push(join_it, NULL);
	clock_gettime(call == JOINS_BY_CLOCK ? CLOCK_MONOTONIC : CLOCK_REALTIME, &late);
	late.tv_sec += 1000;
	is_waiting = true;
	if (call == JOINS)
		pthread_join(target, NULL);
	else if (call == JOINS_UNTIL)
		pthread_timedjoin_np(target, NULL, &late);
	else
		pthread_clockjoin_np(target, NULL, CLOCK_MONOTONIC, &late);
	pthread_cleanup_pop(0);
	CHECK(!"it was left");
	return NULL;
}

int main(void)
{
	CHECK(signal(SIGUSR1, leaves) != SIG_ERR);
	for (int i = 0; i < 2 * CALLS; i++) {
		pthread_t t;

		call = i % CALLS;
		cancels_itself = i / CALLS;
		is_waiting = is_joined = false;
		CHECK_OK(pthread_create(&target, NULL, waits, NULL));
		CHECK_OK(pthread_create(&t, NULL, joins, NULL));
		while (!is_waiting)
			usleep(1000);
		usleep(5000);
		CHECK_OK(pthread_kill(t, SIGUSR1));
		CHECK_OK(pthread_join(t, NULL));
		CHECK(is_joined);
	}
	return 0;
}
