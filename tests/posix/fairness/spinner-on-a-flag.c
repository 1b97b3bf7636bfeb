// SPDX-License-Identifier: BSD-2-Clause
// A thread that spins without any call on a variable that another thread sets makes progress, with
// more spinners than processors.
#include "../harness.h"

static volatile int flag;
static atomic_int seen;

static void *spins(void *arg UNUSED)
{
	while (!flag)
		;
	seen++;
	return NULL;
}

static void *sets(void *arg UNUSED)
{
	flag = 1;
	return NULL;
}

int main(void)
{
	int n = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN) + 1;
	pthread_t t[n], s;

	spawn_many(t, n, spins);
	s = spawn(sets, NULL);
	join(s);
	join_many(t, n);
	CHECK_EQ(seen, n);
}
