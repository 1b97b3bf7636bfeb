// SPDX-License-Identifier: BSD-2-Clause
#include "native.h"

void upcall_nopreempt_begin(void)
{
	sched_nopreempt_begin();
}

void upcall_nopreempt_end(void)
{
	sched_nopreempt_end();
}
