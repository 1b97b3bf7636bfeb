// SPDX-License-Identifier: BSD-2-Clause
// The nice value is per thread (Linux): one thread's change is seen by no other.
#include "../harness.h"
#include <sys/resource.h>

static atomic_int step;

static void *nicer(void *arg UNUSED)
{
	CHECK_OK(setpriority(PRIO_PROCESS, 0, 7));
	for (int i = 0; i < 3; i++) {		/* beside others it may take it seconds to be back */
		CHECK_EQ(getpriority(PRIO_PROCESS, 0), 7);
		sched_yield();
	}
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 7);
	return NULL;
}

static void *other(void *arg)
{
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), (intptr_t)arg);
	return NULL;
}

int main(void)
{
	int before = getpriority(PRIO_PROCESS, 0);
	pthread_t t = spawn(nicer, NULL);

	if (before >= 7)
		skip("the program is nice already");
	WAIT_FOR(step == 1);
	for (int i = 0; i < 10; i++)
		join(spawn(other, (void *)(intptr_t)before));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), before);
	step = 2;
	join(t);
	for (int i = 0; i < 10; i++)
		join(spawn(other, (void *)(intptr_t)before));
}
