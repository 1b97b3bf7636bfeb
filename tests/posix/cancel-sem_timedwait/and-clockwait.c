// SPDX-License-Identifier: BSD-2-Clause
// sem_timedwait and sem_clockwait are cancellation points.
#include "../cancel.h"

static sem_t s;

static void by_time(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20000);

	sem_timedwait(&s, &at);
}

static void by_clock(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 20000);

	sem_clockwait(&s, CLOCK_MONOTONIC, &at);
}

int main(void)
{
	CHECK_OK(sem_init(&s, 0, 0));
	check_cancels(by_time, NULL);
	check_cancels(by_clock, NULL);
	CHECK_OK(sem_post(&s));
	CHECK_OK(sem_trywait(&s));
}
