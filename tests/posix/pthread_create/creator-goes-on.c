// SPDX-License-Identifier: BSD-2-Clause
// The creator and the new thread both make progress while the other waits for it.
#include "../harness.h"

static atomic_int turn;

static void *body(void *arg UNUSED)
{
	for (int i = 1; i < 200; i += 2) {
		while (turn != i)
			sched_yield();
		turn = i + 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	for (int i = 0; i < 200; i += 2) {
		while (turn != i)
			sched_yield();
		turn = i + 1;
	}
	join(t);
	CHECK_EQ(turn, 200);
}
