// SPDX-License-Identifier: BSD-2-Clause
// Each control runs its routine once, however many there are.
#include "../harness.h"

#define N 100

static pthread_once_t once[N];
static atomic_int calls;

static void init(void)
{
	calls++;
}

static void *body(void *arg)
{
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_once(&once[i], init));
	return arg;
}

int main(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
	CHECK_EQ(calls, N);
}
