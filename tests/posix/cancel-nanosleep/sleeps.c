// SPDX-License-Identifier: BSD-2-Clause
// nanosleep, clock_nanosleep, sleep and usleep are cancellation points.
#include "../cancel.h"

static void with_nanosleep(void *arg UNUSED)
{
	nanosleep(&(struct timespec){ .tv_sec = WATCHDOG_SECONDS }, NULL);
}

static void with_clock(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, WATCHDOG_SECONDS * 1000);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void with_sleep(void *arg UNUSED)
{
	sleep(WATCHDOG_SECONDS);
}

static void with_usleep(void *arg UNUSED)
{
	for (int i = 0; i < 100; i++)
		usleep(900000);
}

int main(void)
{
	check_cancels(with_nanosleep, NULL);
	check_cancels(with_clock, NULL);
	check_cancels(with_sleep, NULL);
	check_cancels(with_usleep, NULL);
}
