// SPDX-License-Identifier: BSD-2-Clause
// sem_clockwait measures its deadline on the clock given.
#include "../harness.h"

static void *body(void *arg)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 30);

	CHECK_ERRNO(sem_clockwait(arg, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	CHECK(now_ns() >= (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	CHECK_ERRNO(sem_clockwait(arg, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	return NULL;
}

int main(void)
{
	sem_t s;

	CHECK_OK(sem_init(&s, 0, 0));
	join(spawn(body, &s));
}
