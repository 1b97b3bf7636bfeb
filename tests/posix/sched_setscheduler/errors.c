// SPDX-License-Identifier: BSD-2-Clause
// sched_setscheduler, sched_setparam and sched_getscheduler: EINVAL for what cannot be, ESRCH for no
// thread.
#include "../harness.h"

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 1 };

	CHECK_ERRNO(sched_setscheduler(0, SCHED_OTHER, &p), EINVAL);
	CHECK_ERRNO(sched_setscheduler(0, 4711, &p), EINVAL);
	CHECK_ERRNO(sched_setparam(0, &p), EINVAL);
	p.sched_priority = 1000;
	CHECK_ERRNO(sched_setscheduler(0, SCHED_FIFO, &p), EINVAL);
	CHECK_ERRNO(sched_getscheduler(-1), EINVAL);
	CHECK_ERRNO(sched_getscheduler(4194303), ESRCH);
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	p.sched_priority = 0;
	CHECK_OK(sched_setparam(0, &p));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
