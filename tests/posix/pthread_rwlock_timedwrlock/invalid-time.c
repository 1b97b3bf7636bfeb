// SPDX-License-Identifier: BSD-2-Clause
// A timed lock that must wait is EINVAL with nanoseconds out of range.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *body(void *arg)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 1000);

	at.tv_nsec = 1000000000;
	CHECK_EQ(pthread_rwlock_timedwrlock(&l, &at), EINVAL);
	CHECK_EQ(pthread_rwlock_timedrdlock(&l, &at), EINVAL);
	at.tv_nsec = -1;
	CHECK_EQ(pthread_rwlock_timedwrlock(&l, &at), EINVAL);
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_rwlock_wrlock(&l));
	join(spawn(body, NULL));
}
