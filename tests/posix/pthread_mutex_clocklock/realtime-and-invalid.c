// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_clocklock knows CLOCK_REALTIME too; CPU-time clocks are EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &at), ETIMEDOUT);
	CHECK(now_ns() - start > 25000000);
	CHECK_EQ(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
}
