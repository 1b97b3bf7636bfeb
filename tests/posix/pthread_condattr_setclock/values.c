// SPDX-License-Identifier: BSD-2-Clause
// The default clock is CLOCK_REALTIME; the monotonic one is kept; CPU-time clocks are EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_condattr_t a;
	clockid_t c = 99, cpu;

	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_getclock(&a, &c));
	CHECK_EQ(c, CLOCK_REALTIME);
	CHECK_OK(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
	CHECK_OK(pthread_condattr_getclock(&a, &c));
	CHECK_EQ(c, CLOCK_MONOTONIC);
	CHECK_OK(clock_getcpuclockid(0, &cpu));
	CHECK_EQ(pthread_condattr_setclock(&a, cpu), EINVAL);
	CHECK_EQ(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	CHECK_OK(pthread_condattr_getclock(&a, &c));
	CHECK_EQ(c, CLOCK_MONOTONIC);
}
