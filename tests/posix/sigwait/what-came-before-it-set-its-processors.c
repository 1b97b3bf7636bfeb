// SPDX-License-Identifier: BSD-2-Clause
// A thread sets its processors: what was pending for it, and for the process, it still finds, and in order.
#include "../pending.h"

static void *body(void *arg)
{
	cpu_set_t cpus;

	send_to_self();
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus));
	take_all();
	return arg;
}

int main(void)
{
	block_all();
	join(spawn(body, NULL));
}
