// SPDX-License-Identifier: BSD-2-Clause
// sched_rr_get_interval of a round-robin thread is a positive time.
#include "../harness.h"

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 1 };
	struct timespec t = { -1, -1 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_RR, &p);

	if (rc == EPERM)
		skip("may not use SCHED_RR");
	CHECK_OK(rc);
	CHECK_OK(sched_rr_get_interval(0, &t));
	CHECK(t.tv_sec >= 0 && t.tv_nsec > 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
