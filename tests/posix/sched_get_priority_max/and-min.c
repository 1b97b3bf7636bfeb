// SPDX-License-Identifier: BSD-2-Clause
// The real-time policies have at least 32 priorities, SCHED_OTHER one; other policies are EINVAL.
#include "../harness.h"

static void *body(void *arg)
{
	CHECK(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
	CHECK(sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) >= 31);
	CHECK_EQ(sched_get_priority_max(SCHED_OTHER), sched_get_priority_min(SCHED_OTHER));
	CHECK_ERRNO(sched_get_priority_max(777), EINVAL);
	CHECK_ERRNO(sched_get_priority_min(-1), EINVAL);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
