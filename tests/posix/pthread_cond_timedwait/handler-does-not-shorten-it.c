// SPDX-License-Identifier: BSD-2-Clause
// A timed wait that is interrupted by handlers still lasts until its time, unless it says otherwise by
// a spurious wake-up.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_bool waits, over;
static atomic_int handled;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 100);
	int rc;

	CHECK_OK(pthread_mutex_lock(&m));
	waits = true;
	while ((rc = pthread_cond_timedwait(&c, &m, &at)) == 0)
		;
	over = true;
	CHECK_EQ(rc, ETIMEDOUT);
	CHECK(now_ns() - start > 95000000);
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	for (int i = 1; i <= 4; i++) {
		CHECK_OK(pthread_kill(t, SIGUSR1));
		WAIT_FOR(handled == i || over);
	}
	join(t);
}
