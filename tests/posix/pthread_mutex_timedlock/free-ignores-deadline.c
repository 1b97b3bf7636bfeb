// SPDX-License-Identifier: BSD-2-Clause
// A free mutex is taken even if the deadline has passed, or is not valid.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1000), bad = { .tv_nsec = -1 };

	CHECK_OK(pthread_mutex_timedlock(&lock, &past));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_mutex_timedlock(&lock, &bad));
	CHECK_OK(pthread_mutex_unlock(&lock));
}
