// SPDX-License-Identifier: BSD-2-Clause
// pthread_timedjoin_np gives ETIMEDOUT at its deadline on CLOCK_REALTIME and can be tried again.
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
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(pthread_timedjoin_np(t, &ret, &at), ETIMEDOUT);
	CHECK(now_ns() - start >= 25000000);
	go = true;
	at = in_ms(CLOCK_REALTIME, PATIENCE_MS);
	CHECK_OK(pthread_timedjoin_np(t, &ret, &at));
	CHECK(ret == &x);
}
