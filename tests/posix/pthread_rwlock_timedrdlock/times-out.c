// SPDX-License-Identifier: BSD-2-Clause
// Timed lock functions give ETIMEDOUT at the deadline while the lock is held otherwise, EINVAL for
// an invalid deadline.
#include "../harness.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *body(void *arg)
{
	bool write_held = arg != NULL;
	struct timespec bad = { .tv_sec = time(NULL) + 9, .tv_nsec = -5 };
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &at), ETIMEDOUT);
	CHECK(now_ns() - start >= 25000000);
	CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &bad), EINVAL);
	at = in_ms(CLOCK_MONOTONIC, 20);
	CHECK_EQ(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	at = in_ms(CLOCK_REALTIME, 20);
	CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &at), write_held ? ETIMEDOUT : 0);
	at = in_ms(CLOCK_MONOTONIC, 20);
	CHECK_EQ(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &at),
		 write_held ? ETIMEDOUT : 0);
	for (int i = 0; i < 2 && !write_held; i++)
		CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_rwlock_wrlock(&lock));
	join(spawn(body, &lock));
	CHECK_OK(pthread_rwlock_unlock(&lock));
	CHECK_OK(pthread_rwlock_rdlock(&lock));
	join(spawn(body, NULL));
	CHECK_OK(pthread_rwlock_unlock(&lock));
	CHECK_OK(pthread_rwlock_wrlock(&lock));
}
