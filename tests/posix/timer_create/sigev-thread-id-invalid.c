// SPDX-License-Identifier: BSD-2-Clause
// SIGEV_THREAD_ID with a number that is no thread of the process is EINVAL.
#include "../harness.h"

static void *body(void *arg)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	timer_t timer;

	e._sigev_un._tid = 1;
	CHECK_ERRNO(timer_create(CLOCK_MONOTONIC, &e, &timer), EINVAL);
	e._sigev_un._tid = 4000000;
	CHECK_ERRNO(timer_create(CLOCK_MONOTONIC, &e, &timer), EINVAL);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
