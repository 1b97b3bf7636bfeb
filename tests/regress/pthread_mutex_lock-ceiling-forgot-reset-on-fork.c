// SPDX-License-Identifier: BSD-2-Clause
// A mutex with a ceiling leaves its owner SCHED_RESET_ON_FORK, while it is held and afterwards.
#include "../posix/lent.h"

static pthread_mutex_t m;

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p))
		skip("may not use SCHED_FIFO");
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 30);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 5);
	return arg;
}

int main(void)
{
	mutex_with_ceiling(&m, 30);
	join(spawn(body, NULL));
}
