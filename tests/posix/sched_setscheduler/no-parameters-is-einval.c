// SPDX-License-Identifier: BSD-2-Clause
// Without parameters the kernel says EINVAL, and nothing is read.
#include "../harness.h"

int main(void)
{
	struct sched_param *volatile none = NULL;

	for (int i = 0; i < 2; i++) {
		CHECK_ERRNO(sched_setparam(0, none), EINVAL);
		CHECK_ERRNO(sched_setscheduler(0, SCHED_OTHER, none), EINVAL);
		join(spawn(nothing, NULL));
	}
	return 0;
}
