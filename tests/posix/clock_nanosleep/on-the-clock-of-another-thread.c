// SPDX-License-Identifier: BSD-2-Clause
// A sleep by the CPU time of another thread lasts until that one has computed so long.
#include "../harness.h"

enum { SPAN_MS = 30, LEAST_NS = 25000000 };

static atomic_bool is_over;

static void *computes(void *arg)
{
	while (!is_over)
		;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(computes, NULL);
	struct timespec span = ms_span(SPAN_MS), at;
	clockid_t clock;

	CHECK_OK(pthread_getcpuclockid(t, &clock));
	uint64_t before = now_on(clock);

	CHECK_OK(clock_nanosleep(clock, 0, &span, NULL));
	CHECK(now_on(clock) - before >= LEAST_NS);
	before = now_on(clock);
	at = in_ms(clock, SPAN_MS);
	CHECK_OK(clock_nanosleep(clock, TIMER_ABSTIME, &at, NULL));
	CHECK(now_on(clock) - before >= LEAST_NS);
	CHECK_OK(clock_nanosleep(clock, TIMER_ABSTIME, &at, NULL));
	span.tv_nsec = -1;
	CHECK_EQ(clock_nanosleep(clock, 0, &span, NULL), EINVAL);
	is_over = true;
	join(t);
	CHECK_OK(pthread_getcpuclockid(pthread_self(), &clock));
	CHECK_EQ(clock_nanosleep(clock, TIMER_ABSTIME, &at, NULL), EINVAL);
	return 0;
}
