// SPDX-License-Identifier: BSD-2-Clause
// Twice as many computing threads as processors all get on: none has nothing while another has
// much.
#include "../harness.h"

#define SLICES 8

static atomic_bool stop;
static atomic_ulong *work;

static void *body(void *arg)
{
	atomic_ulong *mine = &work[(intptr_t)arg];

	while (!stop) {
		for (volatile int i = 0; i < 20000; i++)
			;
		(*mine)++;
	}
	return NULL;
}

static bool all_moved(int n)
{
	for (int i = 0; i < n; i++)
		if (work[i] < SLICES)
			return false;
	return true;
}

int main(void)
{
	int n = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[n];

	work = calloc((size_t)n, sizeof *work);
	spawn_many(t, n, body);
	WAIT_FOR(all_moved(n));
	stop = true;
	join_many(t, n);
}
