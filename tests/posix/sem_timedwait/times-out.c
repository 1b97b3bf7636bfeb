// SPDX-License-Identifier: BSD-2-Clause
// sem_timedwait fails with ETIMEDOUT at its deadline and EINVAL for an invalid one; a positive
// value ignores the deadline.
#include "../harness.h"

static void *body(void *arg)
{
	sem_t *s = arg;
	struct timespec at = in_ms(CLOCK_REALTIME, 30);
	struct timespec bad = { .tv_sec = time(NULL) + 5, .tv_nsec = 1000000000 };

	CHECK_ERRNO(sem_timedwait(s, &at), ETIMEDOUT);
	CHECK(now_on(CLOCK_REALTIME) >=
	      (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	CHECK_ERRNO(sem_timedwait(s, &bad), EINVAL);
	CHECK_OK(sem_post(s));
	at = in_ms(CLOCK_REALTIME, -1000);
	CHECK_OK(sem_timedwait(s, &at));
	return NULL;
}

int main(void)
{
	sem_t s;

	CHECK_OK(sem_init(&s, 0, 0));
	join(spawn(body, &s));
}
