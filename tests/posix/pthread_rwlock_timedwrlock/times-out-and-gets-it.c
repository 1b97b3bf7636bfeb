// SPDX-License-Identifier: BSD-2-Clause
// A timed write lock times out while a reader has the lock, and gets it when that one leaves in time.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool timed_out;

static void *body(void *arg)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(pthread_rwlock_timedwrlock(&l, &at), ETIMEDOUT);
	CHECK(now_ns() - start > 25000000);
	timed_out = true;
	at = in_ms(CLOCK_REALTIME, 10000);
	CHECK_OK(pthread_rwlock_timedwrlock(&l, &at));
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_rwlock_rdlock(&l));
	t = spawn(body, NULL);
	WAIT_FOR(timed_out);
	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	join(t);
}
