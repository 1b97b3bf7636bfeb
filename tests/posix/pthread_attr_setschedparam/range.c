// SPDX-License-Identifier: BSD-2-Clause
// Attributes take any priority of their policy; one outside is EINVAL.
#include "../harness.h"

int main(void)
{
	struct sched_param p = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	pthread_attr_t a;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setschedpolicy(&a, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&a, &p));
	p.sched_priority++;
	CHECK_EQ(pthread_attr_setschedparam(&a, &p), EINVAL);
	CHECK_OK(pthread_attr_getschedparam(&a, &p));
	CHECK_EQ(p.sched_priority, sched_get_priority_max(SCHED_FIFO));
}
