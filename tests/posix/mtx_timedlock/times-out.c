// SPDX-License-Identifier: BSD-2-Clause
// mtx_timedlock: thrd_timedout while another holds it, thrd_success when it is free.
#include "../harness.h"

#include <threads.h>

static mtx_t m;

static int body(void *arg)
{
	uint64_t start = now_ns();
	struct timespec at = in_ms(CLOCK_REALTIME, 30);

	CHECK_EQ(mtx_timedlock(&m, &at), arg ? thrd_success : thrd_timedout);
	if (arg)
		CHECK_EQ(mtx_unlock(&m), thrd_success);
	else
		CHECK(now_ns() - start > 25000000);
	return 0;
}

int main(void)
{
	thrd_t t;

	CHECK_EQ(mtx_init(&m, mtx_timed), thrd_success);
	CHECK_EQ(mtx_lock(&m), thrd_success);
	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
	CHECK_EQ(mtx_unlock(&m), thrd_success);
	CHECK_EQ(thrd_create(&t, body, &m), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
	mtx_destroy(&m);
}
