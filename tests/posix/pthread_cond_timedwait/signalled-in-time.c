// SPDX-License-Identifier: BSD-2-Clause
// A waiter with a deadline that is signalled first returns zero, without waiting for the deadline.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool go;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	pthread_mutex_lock(&lock);
	while (!go)
		CHECK_OK(pthread_cond_timedwait(&cond, &lock, &at));
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	uint64_t start = now_ns();

	settle();
	pthread_mutex_lock(&lock);
	go = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	join(t);
	CHECK(now_ns() - start < PATIENCE_MS * 1000000ull);
}
