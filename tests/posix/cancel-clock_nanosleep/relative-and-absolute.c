// SPDX-License-Identifier: BSD-2-Clause
// clock_nanosleep is a cancellation point, relative and absolute, on both clocks.
#include "../cancel.h"

static void call(void *arg)
{
	clockid_t clock = (intptr_t)arg & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	bool absolute = (intptr_t)arg & 2;
	struct timespec t = absolute ? in_ms(clock, 20000) : ms_span(20000);

	clock_nanosleep(clock, absolute ? TIMER_ABSTIME : 0, &t, NULL);
}

int main(void)
{
	for (intptr_t i = 0; i < 4; i++)
		check_cancels(call, (void *)i);
}
