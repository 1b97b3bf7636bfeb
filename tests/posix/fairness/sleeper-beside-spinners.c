// SPDX-License-Identifier: BSD-2-Clause
// A thread that sleeps a millisecond at a time gets its turn again and again beside twice as many
// spinners as processors.
#include "../harness.h"

static atomic_bool stop;

static void *spins(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	while (!stop)
		n = n + 1;
	return NULL;
}

static void *sleeps(void *arg UNUSED)
{
	uint64_t start = now_ns();

	for (int i = 0; i < 20; i++)
		sleep_ms(1);
	CHECK(now_ns() - start < 8000000000ull);
	return NULL;
}

int main(void)
{
	int n = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[n], s;

	spawn_many(t, n, spins);
	s = spawn(sleeps, NULL);
	join(s);
	stop = true;
	join_many(t, n);
}
