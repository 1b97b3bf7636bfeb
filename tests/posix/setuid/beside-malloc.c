// SPDX-License-Identifier: BSD-2-Clause
// Threads set user IDs while others allocate from one arena: all come to an end.
#include "../harness.h"
#include <malloc.h>

enum { N = 4, CALLS = 150 };

static atomic_bool stop;

static void *allocates(void *arg)
{
	while (!stop) {
		void *volatile p[16];

		for (int i = 0; i < 16; i++)
			p[i] = malloc(64 + 100 * (size_t)i);
		for (int i = 0; i < 16; i++)
			free(p[i]);
	}
	return arg;
}

static void *sets(void *arg)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (is_due(i / 15, 10))
			CHECK_OK(setresuid(getuid(), geteuid(), (uid_t)-1));
	return arg;
}

int main(void)
{
	pthread_t a[N], s[N];

	mallopt(M_ARENA_MAX, 1);
	spawn_many(a, N, allocates);
	spawn_many(s, N, sets);
	join_many(s, N);
	stop = true;
	join_many(a, N);
}
