// SPDX-License-Identifier: BSD-2-Clause
// An absolute time that has passed returns 0 at once.
#include "../harness.h"

static void *body(void *arg)
{
	struct timespec t = in_ms(CLOCK_MONOTONIC, -1000), zero = { 0 };
	uint64_t start = now_ns();

	CHECK_OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	CHECK_OK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &zero, NULL));
	CHECK(now_ns() - start < 900000000);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
