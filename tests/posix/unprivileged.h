// SPDX-License-Identifier: BSD-2-Clause
/* For tests of what only the privileged may do: before there are threads. */
#include <linux/capability.h>
#include <sys/resource.h>

#include "harness.h"

static inline void drop_scheduling(void)
{
	struct __user_cap_header_struct mine = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	const struct rlimit none = { 0, 0 };

	CHECK_OK(syscall(SYS_capget, &mine, sets));
	sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective &= ~CAP_TO_MASK(CAP_SYS_NICE);
	CHECK_OK(syscall(SYS_capset, &mine, sets));
	CHECK_OK(setrlimit(RLIMIT_NICE, &none));
	CHECK_OK(setrlimit(RLIMIT_RTPRIO, &none));
}
