// SPDX-License-Identifier: BSD-2-Clause
// tss destructors run at thrd_exit and at return, and again while values are set, not after tss_delete.
#include "../harness.h"

#include <threads.h>

static tss_t key, gone;
static atomic_int calls, gone_calls;

static void destroy(void *arg)
{
	if (calls++ == 0)
		CHECK_EQ(tss_set(key, arg), thrd_success);
}

static void destroy_gone(void *arg UNUSED)
{
	gone_calls++;
}

static int body(void *arg)
{
	CHECK_EQ(tss_set(key, arg), thrd_success);
	CHECK(tss_get(key) == arg);
	CHECK_EQ(tss_set(gone, arg), thrd_success);
	tss_delete(gone);
	thrd_exit(0);
}

int main(void)
{
	thrd_t t;

	CHECK_EQ(tss_create(&key, destroy), thrd_success);
	CHECK_EQ(tss_create(&gone, destroy_gone), thrd_success);
	CHECK_EQ(thrd_create(&t, body, &t), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
	CHECK_EQ(calls, 2);
	CHECK_EQ(gone_calls, 0);
}
