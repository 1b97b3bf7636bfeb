// SPDX-License-Identifier: BSD-2-Clause
// Two hundred threads each wait on a pipe of their own and are woken in any order.
#include "../harness.h"

#define N 200

static int p[N][2];
static atomic_int got;

static void *body(void *arg)
{
	int i = (int)(intptr_t)arg, v = -1;

	for (int r = 0; r < 3; r++) {
		CHECK_EQ(read(p[i][0], &v, sizeof v), (ssize_t)sizeof v);
		CHECK_EQ(v, i * 10 + r);
		got++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		CHECK_OK(pipe(p[i]));
	spawn_many(t, N, body);
	for (int r = 0; r < 3; r++) {
		for (int k = 0; k < N; k++) {
			int i = (k * 77 + r) % N, v = i * 10 + r;

			CHECK_EQ(write(p[i][1], &v, sizeof v), (ssize_t)sizeof v);
		}
		WAIT_FOR(got == (r + 1) * N);
	}
	join_many(t, N);
}
