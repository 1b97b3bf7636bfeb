// SPDX-License-Identifier: BSD-2-Clause
// On one processor a new thread with a higher real-time priority runs before pthread_create returns.
#include "../fifo.h"

static atomic_bool has_run;

static void *high(void *arg)
{
	has_run = true;
	return arg;
}

static void *low(void *arg)
{
	for (int priority = 3; priority < 7; priority++) {
		has_run = false;
		pthread_t t = spawn_fifo(priority, high, NULL);

		CHECK(has_run);
		join(t);
	}
	return arg;
}

int main(void)
{
	use_one_cpu();
	join(spawn_fifo(2, low, NULL));
}
