// SPDX-License-Identifier: BSD-2-Clause
// timer_create with a clock that does not exist is EINVAL; so are calls on a timer that was deleted.
#include "../harness.h"

int main(void)
{
	struct itimerspec v = { .it_value = ms_span(1000) };
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	timer_t t;

	CHECK_ERRNO(timer_create(9999, &e, &t), EINVAL);
	CHECK_OK(timer_create(CLOCK_REALTIME, &e, &t));
	v.it_value.tv_nsec = 1000000000;
	CHECK_ERRNO(timer_settime(t, 0, &v, NULL), EINVAL);
	v.it_value.tv_nsec = -1;
	CHECK_ERRNO(timer_settime(t, 0, &v, NULL), EINVAL);
	CHECK_OK(timer_delete(t));
	v.it_value.tv_nsec = 0;
	CHECK_ERRNO(timer_gettime(t, &v), EINVAL);
	CHECK_ERRNO(timer_delete(t), EINVAL);
}
