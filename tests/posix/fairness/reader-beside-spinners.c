// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for a pipe gets its data although every processor has a thread that only
// computes.
#include "../harness.h"

static atomic_bool stop;
static int p[2], q[2];

static void *spins(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	while (!stop)
		n = n + 1;
	return NULL;
}

static void *echo(void *arg UNUSED)
{
	char c;

	while (read(p[0], &c, 1) == 1)
		CHECK_EQ(write(q[1], &c, 1), 1);
	return NULL;
}

int main(void)
{
	int n = (int)sysconf(_SC_NPROCESSORS_ONLN) + 1;
	pthread_t t[n], e;
	char c = 'e';

	CHECK_OK(pipe(p));
	CHECK_OK(pipe(q));
	spawn_many(t, n, spins);
	e = spawn(echo, NULL);
	for (int i = 0; i < 10; i++) {
		CHECK_EQ(write(p[1], &c, 1), 1);
		CHECK_EQ(read(q[0], &c, 1), 1);
	}
	stop = true;
	CHECK_OK(close(p[1]));
	join(e);
	join_many(t, n);
}
