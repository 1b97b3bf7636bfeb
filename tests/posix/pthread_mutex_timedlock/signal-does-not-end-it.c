// SPDX-License-Identifier: BSD-2-Clause
// A handler that runs during a timed lock neither ends the wait nor makes it longer.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 120);

	waits = true;
	CHECK_EQ(pthread_mutex_timedlock(&m, &at), ETIMEDOUT);
	CHECK(now_ns() - start > 110000000);
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pthread_mutex_lock(&m));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	for (int i = 0; i < 4; i++) {
		sleep_ms(15);
		CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}
