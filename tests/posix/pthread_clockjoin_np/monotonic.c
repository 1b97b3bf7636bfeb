// SPDX-License-Identifier: BSD-2-Clause
// pthread_clockjoin_np measures its deadline on the clock that it is given.
#include "../harness.h"

static atomic_bool go;

static void *body(void *arg)
{
	WAIT_FOR(go);
	return arg;
}

int main(void)
{
	int x;
	void *ret = NULL;
	pthread_t t = spawn(body, &x);
	struct timespec at = in_ms(CLOCK_MONOTONIC, 30);

	CHECK_EQ(pthread_clockjoin_np(t, &ret, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	CHECK(now_ns() >= (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec);
	go = true;
	at = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
	CHECK_OK(pthread_clockjoin_np(t, &ret, CLOCK_MONOTONIC, &at));
	CHECK(ret == &x);
}
