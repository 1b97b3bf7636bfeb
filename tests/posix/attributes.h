// SPDX-License-Identifier: BSD-2-Clause
/* struct sched_attr, which headers of the kernel's and of libc's both have, or neither. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include "harness.h"

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static inline struct attributes attributes_of(long tid)
{
	struct attributes a = { 0 };

	CHECK_EQ(syscall(SYS_sched_getattr, tid, &a, sizeof(a), 0), 0);
	return a;
}

#endif
