// SPDX-License-Identifier: BSD-2-Clause
// However many threads call pthread_once at a time, the routine runs once and has returned before
// any call does.
#include "../harness.h"

#define N 16

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int calls, returned;

static void init(void)
{
	calls++;
	sleep_ms(20);
	returned = 1;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_once(&once, init));
	CHECK_EQ(returned, 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(calls, 1);
}
