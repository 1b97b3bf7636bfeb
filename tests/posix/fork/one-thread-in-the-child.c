// SPDX-License-Identifier: BSD-2-Clause
// The other threads do not exist in the child: nothing of theirs goes on there.
#include "../harness.h"

static atomic_int *count;
static atomic_int here;

static void *body(void *arg UNUSED)
{
	for (;;) {
		here++;
		if (getpid() != (pid_t)(intptr_t)arg)
			(*count)++;
		sched_yield();
	}
	return NULL;
}

static void child(void)
{
	sleep_ms(50);
	CHECK_EQ(*count, 0);
}

int main(void)
{
	count = shared_memory(sizeof *count);
	for (int i = 0; i < 3; i++)
		spawn(body, (void *)(intptr_t)getpid());
	WAIT_FOR(here > 10);
	CHECK_EQ(in_child(child), 0);
	CHECK_EQ(*count, 0);
}
