// SPDX-License-Identifier: BSD-2-Clause
// A SIGEV_NONE timer sends nothing; timer_gettime shows how its time passes.
#include "../harness.h"

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	struct itimerspec v = { .it_value = ms_span(10000) }, a, b;
	timer_t t;

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	CHECK_OK(timer_gettime(t, &a));
	sleep_ms(5);
	CHECK_OK(timer_gettime(t, &b));
	CHECK(b.it_value.tv_sec < 10);
	CHECK(a.it_value.tv_sec * 1000000000L + a.it_value.tv_nsec >
	      b.it_value.tv_sec * 1000000000L + b.it_value.tv_nsec);
	CHECK_OK(timer_delete(t));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
