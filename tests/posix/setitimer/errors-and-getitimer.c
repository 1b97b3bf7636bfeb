// SPDX-License-Identifier: BSD-2-Clause
// setitimer and getitimer refuse a timer that does not exist, and bad microseconds; the old is told.
#define NO_WATCHDOG
#include "../harness.h"

#include <sys/time.h>

static void *body(void *arg)
{
	struct itimerval v = { .it_value = { 100, 0 }, .it_interval = { 3, 5 } }, old;

	CHECK_ERRNO(getitimer(99, &old), EINVAL);
	CHECK_ERRNO(setitimer(99, &v, NULL), EINVAL);
	CHECK_OK(setitimer(ITIMER_REAL, &v, NULL));
	CHECK_OK(getitimer(ITIMER_REAL, &old));
	CHECK(old.it_value.tv_sec >= 99 && old.it_interval.tv_usec == 5);
	v = (struct itimerval){ .it_value = { 1, 1000000 } };
	CHECK_ERRNO(setitimer(ITIMER_REAL, &v, NULL), EINVAL);
	v = (struct itimerval){ 0 };
	CHECK_OK(setitimer(ITIMER_REAL, &v, &old));
	CHECK(old.it_value.tv_sec >= 98);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
