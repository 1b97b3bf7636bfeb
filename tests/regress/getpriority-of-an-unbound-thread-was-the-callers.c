// SPDX-License-Identifier: BSD-2-Clause
// Who has given himself a nice value and other attributes is told those of other threads all the same, and may change
// theirs as if he had none.
#include "../posix/attributes.h"

#include <sys/resource.h>

static struct attributes mains;

static void *asks(void *arg)
{
	int tid = (int)syscall(SYS_gettid);

	CHECK_OK(setpriority(PRIO_PROCESS, 0, 10));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 10);
	CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)tid), 10);
	CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)getpid()), 0);
	CHECK_EQ(syscall(SYS_getpriority, PRIO_PROCESS, getpid()), 20);
	CHECK_EQ(attributes_of(tid).nice, 10);
	CHECK_EQ(attributes_of(getpid()).nice, mains.nice);
	CHECK_EQ(attributes_of(getpid()).policy, mains.policy);
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)getpid(), 5));
	CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)getpid()), 5);
	return arg;
}

int main(void)
{
	if (getpriority(PRIO_PROCESS, 0) != 0)
		setpriority(PRIO_PROCESS, 0, 0);
	if (getpriority(PRIO_PROCESS, 0) != 0)
		skip("the process has a nice value of its own");
	mains = attributes_of(0);
	join(spawn(asks, NULL));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 5);
}
