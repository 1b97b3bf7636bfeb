// SPDX-License-Identifier: BSD-2-Clause
// pthread_timedjoin_np and pthread_clockjoin_np are cancellation points; the target can be joined
// afterwards.
#include "../cancel.h"

static pthread_t target;
static atomic_bool over;

static void *sleeper(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

static void by_time(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20000);

	pthread_timedjoin_np(target, NULL, &at);
}

static void by_clock(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 20000);

	pthread_clockjoin_np(target, NULL, CLOCK_MONOTONIC, &at);
}

int main(void)
{
	target = spawn(sleeper, &over);
	check_cancels(by_time, NULL);
	check_cancels(by_clock, NULL);
	over = true;
	CHECK(join(target) == &over);
}
